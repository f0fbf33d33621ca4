package breaker

import (
	"errors"
	"sync"
	"time"
)

// ErrOpen is returned while the breaker is open.
var ErrOpen = errors.New("breaker is open")

type state int

const (
	closed state = iota
	open
	halfOpen
)

// Breaker stops calls to something that fails.
type Breaker struct {
	mu       sync.Mutex
	state    state
	failures int
	limit    int
	openedAt time.Time
	cooldown time.Duration
}

// New makes a closed breaker.
func New(limit int, cooldown time.Duration) *Breaker {
	return &Breaker{limit: limit, cooldown: cooldown}
}

// Do calls f unless the breaker is open.
func (b *Breaker) Do(f func() error) error {
	if b.state == open && !b.tryHalfOpen() { //race:Breaker.state
		return ErrOpen
	}
	err := f()
	b.done(err)
	return err
}

func (b *Breaker) tryHalfOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.openedAt) < b.cooldown {
		return false
	}
	b.state = halfOpen //race:Breaker.state
	return true
}

func (b *Breaker) done(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.failures = 0
		b.state = closed //race:Breaker.state
		return
	}
	b.failures++
	if b.failures >= b.limit {
		b.state = open //race:Breaker.state
		b.openedAt = time.Now()
	}
}
