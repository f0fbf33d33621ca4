// Package mine takes miners down and up.
package mine

import "sync"

// Shaft has one cage and a queue.
type Shaft struct {
	mu      sync.Mutex
	waiting []string
	seats   int
}

// NewShaft returns a shaft whose cage has seats.
func NewShaft(seats int) *Shaft {
	return &Shaft{seats: seats}
}

// Queue lines a miner up.
func (s *Shaft) Queue(miner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, miner) //race:Shaft.waiting
}

// board takes as many miners as have room.
func (s *Shaft) board() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.seats
	if n > len(s.waiting) {
		n = len(s.waiting)
	}
	aboard := s.waiting[:n:n]
	s.waiting = s.waiting[n:] //race:Shaft.waiting
	return aboard
}

// Full tells whether a cage can leave with no seat empty.
func (s *Shaft) Full() bool {
	return len(s.waiting) >= s.seats //race:Shaft.waiting
}
