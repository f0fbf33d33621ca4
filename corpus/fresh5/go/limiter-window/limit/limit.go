package limit

import (
	"sync/atomic"
	"time"
)

type window struct {
	began time.Time
	used  atomic.Int64
}

// Limiter lets so many requests through per window.
type Limiter struct {
	max int64
	cur window
}

// New makes a limiter.
func New(max int64) *Limiter {
	return &Limiter{max: max}
}

// Allow asks for one request.
func (l *Limiter) Allow() bool {
	used := l.cur.used.Add(1) //race:window.used
	return used <= l.max
}

// Roll starts the next window.
func (l *Limiter) Roll() {
	l.cur = window{} //race:window.used
}
