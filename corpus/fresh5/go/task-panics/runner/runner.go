package runner

import (
	"fmt"
	"sync"
	"time"
)

// Runner runs tasks, one after the other.
type Runner struct {
	mu      sync.Mutex
	outcome string
	ran     int
}

// Run runs a task in the background.
func (r *Runner) Run(task func() string) {
	go r.guarded(task)
}

func (r *Runner) guarded(task func() string) {
	defer func() {
		if cause := recover(); cause != nil {
			r.outcome = "panicked" //race:Runner.outcome
		}
	}()
	out := task()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome = out
	r.ran++
}

// Outcome is how the last task ended.
func (r *Runner) Outcome() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcome //race:Runner.outcome
}

// Describe is for the log.
func (r *Runner) Describe(name string) string {
	return fmt.Sprintf("%s: %s", name, r.Outcome())
}

// Wait gives a task time.
func Wait() {
	time.Sleep(5 * time.Millisecond)
}
