package seats

import "sync"

type section struct {
	mu   sync.Mutex
	name string
	free int
}

// Hall has sections of seats.
type Hall struct {
	mu       sync.Mutex
	sections map[string]*section
	released int
}

// NewHall makes sections of equal size.
func NewHall(size int, names ...string) *Hall {
	h := &Hall{sections: make(map[string]*section)}
	for _, n := range names {
		h.sections[n] = &section{name: n, free: size}
	}
	return h
}

// Reserve takes seats of a section.
func (h *Hall) Reserve(name string, n int) bool {
	s, ok := h.sections[name]
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free < n { //race:section.free
		return false
	}
	s.free -= n //race:section.free
	return true
}

// Release gives seats back.
func (h *Hall) Release(name string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.sections[name]; ok {
		s.free += n //race:section.free
		h.released += n
	}
}
