package main

import (
	"context"
	"errors"
	"time"
)

var errUnavailable = errors.New("unavailable")

type transport func(ctx context.Context, method string, attempt int) error

type client struct {
	send    transport
	retries budget
}

// Invoke calls a method and tries again as long as the budget allows it.
func (c *client) Invoke(ctx context.Context, method string) error {
	for attempt := 0; ; attempt++ {
		err := c.send(ctx, method, attempt)
		if err == nil || !errors.Is(err, errUnavailable) {
			return err
		}
		if !c.retries.take(method) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Microsecond):
		}
	}
}
