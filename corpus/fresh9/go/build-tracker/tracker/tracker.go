package tracker

import (
	"fmt"
	"sync"
)

// Status of a build.
type Status string

// The states of a build.
const (
	Queued  Status = "queued"
	Running Status = "running"
	Passed  Status = "passed"
)

// Build is one run of a pipeline.
type Build struct {
	Number int
	Status Status
}

// Tracker knows all builds.
type Tracker struct {
	mu     sync.RWMutex
	builds map[int]*Build
	next   int
}

// New makes an empty tracker.
func New() *Tracker { return &Tracker{builds: map[int]*Build{}} }

// Add queues a build.
func (t *Tracker) Add() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	t.builds[t.next] = &Build{Number: t.next, Status: Queued}
	return t.next
}

// Set changes the status of a build.
func (t *Tracker) Set(n int, s Status) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok := t.builds[n]
	if !ok {
		return fmt.Errorf("no build %d", n)
	}
	b.Status = s //race:Build.Status
	return nil
}

// Get finds a build.
func (t *Tracker) Get(n int) (*Build, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	b, ok := t.builds[n]
	return b, ok
}
