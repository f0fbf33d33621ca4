// Package quotes asks carriers for prices.
package quotes

import (
	"context"
	"time"
)

// Future is a price that is being asked for.
type Future struct {
	ready chan struct{}
	cents int
	err   error
}

// Ask asks a carrier.
func Ask(carrier func() (int, error)) *Future {
	f := &Future{ready: make(chan struct{})}
	go func() {
		cents, err := carrier()
		f.cents, f.err = cents, err //race:Future.err
		close(f.ready)
	}()
	return f
}

// Get waits for the price, or for the context.
func (f *Future) Get(ctx context.Context) (int, error) {
	select {
	case <-f.ready:
		return f.cents, f.err
	case <-ctx.Done():
		f.err = ctx.Err() //race:Future.err
		return 0, f.err   //race:Future.err
	}
}

// Slow is a carrier that takes its time.
func Slow(d time.Duration, cents int) func() (int, error) {
	return func() (int, error) {
		time.Sleep(d)
		return cents, nil
	}
}
