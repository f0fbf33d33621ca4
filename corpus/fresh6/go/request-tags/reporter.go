package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

type point struct {
	name  string
	value float64
	tags  string
}

// reporter adds the base tags of the process to every point.
type reporter struct {
	prefix string
	base   []string

	mu     sync.Mutex
	points []point
}

func newReporter(prefix string, common map[string]string) *reporter {
	r := &reporter{prefix: prefix, base: make([]string, 0, 8)}
	for k, v := range common {
		r.base = append(r.base, k+":"+v)
	}
	sort.Strings(r.base)
	return r
}

func (r *reporter) Timing(name string, d time.Duration, tags ...string) {
	all := append(r.base, tags...) //race:reporter.base[]
	p := point{name: r.prefix + "." + name, value: d.Seconds(), tags: joinTags(all)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.points = append(r.points, p)
}

func joinTags(tags []string) string {
	return fmt.Sprintf("#%s", strings.Join(tags, ",")) //race:reporter.base[]
}

func (r *reporter) flush() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.points)
	r.points = nil
	return n
}
