package limiter

import (
	"errors"
	"sync/atomic"
)

// ErrBusy means that too many requests are under way.
var ErrBusy = errors.New("busy")

// Limiter bounds the requests under way.
type Limiter struct {
	max      uint64
	inflight uint64
}

// Do runs f unless too many run already.
func (l *Limiter) Do(f func() error) error {
	if atomic.AddUint64(&l.inflight, 1) > l.max { //race:Limiter.inflight
		return ErrBusy
	}
	return f()
}

// Reset forgets the requests under way.
func (l *Limiter) Reset() {
	l.inflight = 0 //race:Limiter.inflight
}
