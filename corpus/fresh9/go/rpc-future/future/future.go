package future

import (
	"context"
	"errors"
)

// ErrAbandoned is the error of a call nobody waited for.
var ErrAbandoned = errors.New("call abandoned")

// Call is under way.
type Call struct {
	reply string
	err   error
	ready chan struct{}
}

// Go makes a call in the background.
func Go(f func() (string, error)) *Call {
	c := &Call{ready: make(chan struct{}, 1)}
	go func() {
		c.reply, c.err = f() //race:Call.err
		c.ready <- struct{}{}
	}()
	return c
}

// Wait returns what the call has returned.
func (c *Call) Wait(ctx context.Context) (string, error) {
	select {
	case <-c.ready:
		return c.reply, c.err
	case <-ctx.Done():
		c.err = ErrAbandoned //race:Call.err
		return "", c.err     //race:Call.err
	}
}
