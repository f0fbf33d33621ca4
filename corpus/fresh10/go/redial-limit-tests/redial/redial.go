// Package redial keeps a connection up.
package redial

import (
	"context"
	"errors"
	"time"
)

// maxPause is the longest time between two attempts.
var maxPause = 30 * time.Second

// Dial makes a connection.
type Dial func(ctx context.Context) error

// Redialer dials until it is told to stop.
type Redialer struct {
	dial   Dial
	cancel context.CancelFunc
}

// Start dials in the background.
func Start(dial Dial) *Redialer {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Redialer{dial: dial, cancel: cancel}
	go r.keep(ctx)
	return r
}

func next(pause time.Duration) time.Duration {
	return min(2*pause, maxPause) //race:maxPause
}

func (r *Redialer) keep(ctx context.Context) {
	pause := 100 * time.Microsecond
	for {
		if err := r.dial(ctx); errors.Is(err, context.Canceled) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			pause = next(pause)
		}
	}
}

// Stop makes the redialer give up; it does not wait for it.
func (r *Redialer) Stop() { r.cancel() }
