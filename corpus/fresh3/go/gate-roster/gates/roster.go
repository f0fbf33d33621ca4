// Package gates tells passengers where to go.
package gates

import (
	"sync"
	"time"
)

// Plan gives a gate to each flight of an hour.
type Plan struct {
	hour  int
	first int
}

// Roster loads the plan of the hour when somebody asks.
type Roster struct {
	mu   sync.Mutex
	load func(hour int) int
	plan *Plan
}

// NewRoster returns a roster without a plan.
func NewRoster(load func(hour int) int) *Roster {
	return &Roster{load: load}
}

func (r *Roster) current(hour int) *Plan {
	if r.plan == nil { //race:Roster.plan
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.plan == nil {
			r.fetch(hour)
		}
	}
	return r.plan //race:Roster.plan
}

func (r *Roster) fetch(hour int) {
	p := new(Plan)
	p.hour = hour
	p.first = r.load(hour) //race:Plan.first
	r.plan = p             //race:Roster.plan
	time.Sleep(time.Millisecond)
}
