package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type step struct {
	name string
	run  func(context.Context) error
}

var errUnhealthy = errors.New("unhealthy")

func fails(name string) step {
	return step{name, func(context.Context) error {
		return fmt.Errorf("%s: %w", name, errUnhealthy)
	}}
}

func works(name string, d time.Duration) step {
	return step{name, func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}}
}
