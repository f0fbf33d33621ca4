// Package slot lends machines to jobs.
package slot

import (
	"sync"
	"time"
)

// Slot is a machine that is lent.
type Slot struct {
	owner string
	uses  int
}

// Job does something on a machine.
type Job func(s *Slot)

// Lend runs jobs, each on a slot, and waits for them.
func Lend(slots []*Slot, name string, job Job) {
	var jobs sync.WaitGroup
	for _, s := range slots {
		jobs.Add(1)
		go func(s *Slot) {
			job(s)
			jobs.Done()
			s.free(name)
		}(s)
	}
	jobs.Wait()
}

func (s *Slot) free(name string) {
	if name != "" {
		time.Sleep(3 * time.Millisecond)
	}
	s.owner = "" //race:Slot.owner
	s.uses++     //race:Slot.uses
	time.Sleep(25 * time.Millisecond)
}

// Busiest gives the slot that was used most.
func Busiest(slots []*Slot) (best *Slot) {
	most := -1
	for _, s := range slots {
		if s.uses > most { //race:Slot.uses
			best, most = s, s.uses //race:Slot.uses
		}
	}
	return best
}

// Owner says who has the slot.
func (s *Slot) Owner() string {
	return s.owner //race:Slot.owner
}
