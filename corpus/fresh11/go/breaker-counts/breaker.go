// Package breaker stops calling what fails.
package breaker

import (
	"errors"
	"sync/atomic"
)

// ErrOpen is returned while nothing is called.
var ErrOpen = errors.New("breaker: open")

type counts struct {
	ok, failed uint32
}

func (c *counts) failure() uint32 { return atomic.AddUint32(&c.failed, 1) } //race:Breaker.counts
func (c *counts) success()        { atomic.AddUint32(&c.ok, 1) }            //race:Breaker.counts

// Breaker opens after some failures.
type Breaker struct {
	counts counts
	limit  uint32
	open   atomic.Bool
}

// New makes a breaker.
func New(limit uint32) *Breaker { return &Breaker{limit: limit} }

// Do calls a function unless the breaker is open.
func (b *Breaker) Do(fn func() error) error {
	if b.open.Load() {
		return ErrOpen
	}
	err := fn()
	if err == nil {
		b.counts.success()
		return nil
	}
	if b.counts.failure() >= b.limit {
		b.open.Store(true)
	}
	return err
}

// Reset closes the breaker and forgets what has happened.
func (b *Breaker) Reset() {
	b.counts = counts{} //race:Breaker.counts
	b.open.Store(false)
}
