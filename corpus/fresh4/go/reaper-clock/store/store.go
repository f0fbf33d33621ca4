// Package store forgets what is old.
package store

import (
	"sync"
	"time"
)

type item struct {
	value string
	born  int64
}

// Store holds items for a while.
type Store struct {
	mu    sync.Mutex
	items map[string]item
	stop  chan struct{}
	ended chan struct{}
}

// Open returns a store that reaps.
func Open(period time.Duration) *Store {
	s := &Store{items: map[string]item{}, stop: make(chan struct{}), ended: make(chan struct{})}
	go s.reaper(period)
	return s
}

func (s *Store) reaper(period time.Duration) {
	defer close(s.ended)
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.reap()
		case <-s.stop:
			return
		}
	}
}

func (s *Store) reap() {
	now := timeNow()         //race:timeNow
	oldest := now - lifetime //race:lifetime
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, it := range s.items {
		if it.born < oldest {
			delete(s.items, key)
		}
	}
}

// Close stops reaping.
func (s *Store) Close() {
	close(s.stop)
	<-s.ended
}
