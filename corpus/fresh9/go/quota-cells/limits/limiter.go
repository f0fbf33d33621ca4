package limits

import (
	"sync"
	"time"
)

// Limiter is a token bucket.
type Limiter struct {
	mu     sync.Mutex
	tokens float64
	rate   float64
	burst  float64
	last   time.Time
	now    func() time.Time
}

// New makes a full bucket.
func New(rate, burst float64) *Limiter {
	return &Limiter{tokens: burst, rate: rate, burst: burst, last: time.Now(), now: time.Now}
}

func (l *Limiter) refill() {
	t := l.now()
	l.tokens += t.Sub(l.last).Seconds() * l.rate //race:Limiter.rate
	if l.tokens > l.burst {
		l.tokens = l.burst
	}
	l.last = t
}

// Allow takes one token if there is one.
func (l *Limiter) Allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refill()
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

// SetRate changes the rate.
func (l *Limiter) SetRate(perSecond float64) {
	if perSecond <= 0 {
		return
	}
	l.rate = perSecond //race:Limiter.rate
}
