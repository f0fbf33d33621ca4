// Package track knows what runs.
package track

import "sync"

// State is how far a job is.
type State int

// Tracker has the state of every job.
type Tracker struct {
	mu   sync.Mutex
	jobs map[string]State
}

// New returns a tracker without jobs.
func New() *Tracker {
	return &Tracker{jobs: make(map[string]State)}
}

func (t *Tracker) change(f func(jobs map[string]State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.jobs)
}

// Update books a state.
func (t *Tracker) Update(name string, s State) {
	t.change(func(jobs map[string]State) {
		jobs[name] = s //race:Tracker.jobs[]
	})
}

// Prune forgets everything.
func (t *Tracker) Prune() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.jobs = spare() //race:Tracker.jobs
}

// Running is how many jobs are not done.
func (t *Tracker) Running() int {
	jobs := t.jobs //race:Tracker.jobs
	n := 0
	for _, s := range jobs { //race:Tracker.jobs[]
		if s > 0 {
			n++
		}
	}
	return n
}
