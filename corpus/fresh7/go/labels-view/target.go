package main

import (
	"sort"
	"strings"
	"sync"
)

// target is something that is scraped.
type target struct {
	mu     sync.RWMutex
	addr   string
	labels map[string]string
}

func newTarget(addr string) *target {
	return &target{addr: addr, labels: map[string]string{"instance": addr}}
}

func (t *target) Labels() map[string]string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.labels
}

func (t *target) SetLabel(name, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.labels[name] = value //race:target.labels
}

func render(t *target) string {
	var parts []string
	for name, value := range t.Labels() { //race:target.labels
		parts = append(parts, name+"="+value)
	}
	sort.Strings(parts)
	return "{" + strings.Join(parts, ",") + "}"
}
