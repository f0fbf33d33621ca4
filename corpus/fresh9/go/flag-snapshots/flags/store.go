package flags

import (
	"sync"
)

// Flag is one switch.
type Flag struct {
	Key     string
	Percent int
}

// Store has the flags as the stream has last sent them.
type Store struct {
	mu    sync.RWMutex
	flags []Flag
}

// NewStore starts with what the bootstrap file has.
func NewStore(initial ...Flag) *Store { return &Store{flags: initial} }

// All returns the flags.
func (s *Store) All() []Flag {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.flags
}

// Patch changes one flag.
func (s *Store) Patch(key string, percent int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.flags {
		if s.flags[i].Key == key {
			s.flags[i].Percent = percent //race:Store.flags[]
			return true
		}
	}
	return false
}
