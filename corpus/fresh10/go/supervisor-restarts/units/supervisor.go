// Package units starts and stops services.
package units

import (
	"errors"
	"sync"
	"time"
)

// ErrUnknown is returned for a unit that was never added.
var ErrUnknown = errors.New("no such unit")

type unit struct {
	mu      sync.Mutex
	running bool
	since   time.Time
}

func (u *unit) set(running bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	changed := u.running != running
	u.running, u.since = running, time.Now()
	return changed
}

// Supervisor has units. Its set of units is fixed when it is made.
type Supervisor struct {
	units map[string]*unit
	stops int
	why   string
}

// NewSupervisor makes one with units that all run.
func NewSupervisor(names ...string) *Supervisor {
	s := &Supervisor{units: map[string]*unit{}}
	for _, name := range names {
		s.units[name] = &unit{running: true}
	}
	return s
}

// Stop stops a unit.
func (s *Supervisor) Stop(name, why string) error {
	u, ok := s.units[name]
	if !ok {
		return ErrUnknown
	}
	if u.set(false) {
		s.stops++   //race:Supervisor.stops
		s.why = why //race:Supervisor.why
	}
	return nil
}

// Restart stops a unit and starts it again.
func (s *Supervisor) Restart(name string) error {
	if err := s.Stop(name, "restart"); err != nil {
		return err
	}
	s.units[name].set(true)
	return nil
}
