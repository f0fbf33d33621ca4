// Package licence hands out seats of floating licences.
package licence

import (
	"errors"
	"sync"
	"time"
)

// ErrExhausted means that all seats are taken.
var ErrExhausted = errors.New("all seats are taken")

type counters struct {
	taken  int
	denied int
}

// Pool has the seats of one product.
type Pool struct {
	sync.Mutex
	product string
	seats   int
	use     *counters
}

// NewPool makes a pool of some seats.
func NewPool(product string, seats int) Pool {
	return Pool{product: product, seats: seats, use: &counters{}}
}

// Seat is one acquired seat.
type Seat struct {
	Product string
	Since   time.Time
}

// Acquire takes a seat if one is free.
func (p Pool) Acquire(now time.Time) (Seat, error) {
	p.Lock()
	defer p.Unlock()
	if p.use.taken == p.seats { //race:counters.taken
		p.use.denied++
		return Seat{}, ErrExhausted
	}
	p.use.taken++ //race:counters.taken
	return Seat{Product: p.product, Since: now}, nil
}

// Release gives a seat back.
func (p Pool) Release(s Seat) {
	if s.Product != p.product {
		return
	}
	p.Lock()
	defer p.Unlock()
	p.use.taken-- //race:counters.taken
}
