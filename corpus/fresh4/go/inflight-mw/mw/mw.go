// Package mw puts layers around an RPC.
package mw

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

type (
	// Call is an RPC.
	Call func(ctx context.Context, method string) error
	// Layer wraps an RPC.
	Layer func(next Call) Call
)

// ErrBusy is returned when there is too much to do.
var ErrBusy = errors.New("mw: busy")

// Wrap puts layers around a call, the first outermost.
func Wrap(call Call, layers ...Layer) Call {
	for i := range layers {
		call = layers[len(layers)-1-i](call)
	}
	return call
}

type limiter struct {
	max      int32
	inflight int32
}

// track counts the calls on their way.
func (l *limiter) track(next Call) Call {
	return func(ctx context.Context, method string) error {
		atomic.AddInt32(&l.inflight, 1)        //race:limiter.inflight
		defer atomic.AddInt32(&l.inflight, -1) //race:limiter.inflight
		return next(ctx, method)
	}
}

// shed refuses calls when too many are on their way.
func (l *limiter) shed(next Call) Call {
	return func(ctx context.Context, method string) error {
		if l.inflight > l.max { //race:limiter.inflight
			return ErrBusy
		}
		return next(ctx, method)
	}
}

func work(cost time.Duration) Call {
	return func(ctx context.Context, method string) error {
		select {
		case <-time.After(cost):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
