package lifecycle

import (
	"errors"
	"sync/atomic"
)

// ErrDraining is returned when the service goes down.
var ErrDraining = errors.New("draining")

// Gate lets work in until the service drains.
type Gate struct {
	draining int32
	entered  atomic.Int64
}

// Enter asks to begin some work.
func (g *Gate) Enter() error {
	if atomic.LoadInt32(&g.draining) != 0 { //race:Gate.draining
		return ErrDraining
	}
	g.entered.Add(1)
	return nil
}

// Leave ends it.
func (g *Gate) Leave() { g.entered.Add(-1) }

// Drain refuses all further work.
func (g *Gate) Drain() int64 {
	g.draining = 1 //race:Gate.draining
	return g.entered.Load()
}
