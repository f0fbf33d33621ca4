package main

import (
	"sync/atomic"
	"time"
)

type trace struct {
	id   uint64
	took time.Duration
}

// ring keeps the newest traces.
type ring struct {
	next  uint64
	slots []*trace
}

func newRing(n int) *ring {
	return &ring{slots: make([]*trace, n)}
}

func (r *ring) push(t *trace) {
	i := atomic.AddUint64(&r.next, 1) - 1
	r.slots[i%uint64(len(r.slots))] = t //race:ring.slots[]
}

// recent returns traces, the newest first.
func (r *ring) recent(max int) []*trace {
	var out []*trace
	for i := range r.slots {
		if t := r.slots[i]; t != nil { //race:ring.slots[]
			out = append(out, t)
		}
		if len(out) == max {
			break
		}
	}
	return out
}
