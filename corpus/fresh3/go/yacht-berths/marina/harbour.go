package marina

import (
	"errors"
	"sync"
)

// ErrFull is the answer when there is no berth.
var ErrFull = errors.New("marina: no berth is free")

// Harbour has piers with berths.
type Harbour struct {
	mu     sync.Mutex
	berths []*Berth
	next   int
}

// NewHarbour builds one.
func NewHarbour(n int) *Harbour {
	h := &Harbour{}
	for i := 0; i < n; i++ {
		h.berths = append(h.berths, &Berth{})
	}
	return h
}

// Assign gives the next berth to a yacht.
func (h *Harbour) Assign(yacht string, day int) (*Berth, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.berths) == 0 {
		return nil, ErrFull
	}
	b := h.berths[h.next%len(h.berths)]
	h.next++
	b.moor(yacht, day)
	return b, nil
}
