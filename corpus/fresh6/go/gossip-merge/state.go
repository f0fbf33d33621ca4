package main

import "sync"

type digest map[string]uint64

// state is what a node knows of the others.
type state struct {
	self string

	mu       sync.RWMutex
	versions map[string]uint64
}

func newState(self string) *state {
	return &state{self: self, versions: map[string]uint64{self: 1}}
}

func (s *state) bump() {
	s.mu.Lock()
	s.versions[s.self]++
	s.mu.Unlock()
}

// merge takes over what is newer and returns what the other should learn.
func (s *state) merge(d digest) digest {
	newer := digest{}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for node, v := range d {
		mine := s.versions[node] //race:state.versions[]
		switch {
		case v > mine:
			s.versions[node] = v //race:state.versions[]
		case v < mine:
			newer[node] = mine
		}
	}
	return newer
}

func (s *state) snapshot() digest {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d := make(digest, len(s.versions))
	for n, v := range s.versions { //race:state.versions[]
		d[n] = v
	}
	return d
}
