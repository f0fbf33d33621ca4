package lsm

import (
	"sync"
	"time"
)

// Store is a table in memory and those that wait for the disk.
type Store struct {
	mu      sync.Mutex
	limit   int64
	active  *table
	spare   *table
	waiting []*table
}

// Open returns an empty store that flushes tables of that size.
func Open(limit int64) *Store {
	return &Store{limit: limit, active: newTable(), spare: newTable()}
}

// Set writes a pair.
func (s *Store) Set(key, value string) {
	s.mu.Lock()
	t := s.active
	s.mu.Unlock()
	t.insert(key, value)
}

// Lookup reads a pair.
func (s *Store) Lookup(key string) (string, bool) {
	return s.active.lookup(key) //race:Store.active
}

func (s *Store) rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare != nil && s.active.full(s.limit) {
		s.waiting = append(s.waiting, s.active)
		s.active = s.spare //race:Store.active
		s.spare = nil
	}
}

// FlushEvery looks now and then whether the table is full.
func (s *Store) FlushEvery(pause time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.rotate()
		}
	}
}
