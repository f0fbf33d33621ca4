package main

import (
	"fmt"
	"sync"
	"time"
)

// tracker remembers what a consumer group has committed.
type tracker struct {
	group string

	mu        sync.Mutex
	committed map[string]int64
	touched   time.Time
}

func newTracker(group string) *tracker {
	return &tracker{group: group, committed: make(map[string]int64)}
}

func tpKey(topic string, partition int32) string {
	return fmt.Sprintf("%s-%d", topic, partition)
}

// Commit moves a partition's offset forward, never back.
func (t *tracker) Commit(topic string, partition int32, offset int64) {
	key := tpKey(topic, partition)
	t.mu.Lock()
	defer t.mu.Unlock()
	if cur, ok := t.committed[key]; ok && cur >= offset {
		return
	}
	t.committed[key] = offset //race:tracker.committed[]
	t.touched = time.Now()
}

// Committed returns the offsets of all partitions.
func (t *tracker) Committed() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.committed
}

type lagReporter struct {
	src  *tracker
	head func(key string) int64
	last int64
}

func (l *lagReporter) total() int64 {
	var sum int64
	for key, off := range l.src.Committed() { //race:tracker.committed[]
		sum += l.head(key) - off
	}
	return sum
}

func (l *lagReporter) run(every time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.last = l.total()
		case <-stop:
			return
		}
	}
}
