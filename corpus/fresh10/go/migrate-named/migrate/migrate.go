// Package migrate moves rows between stores.
package migrate

import (
	"context"
	"errors"
	"time"
)

// ErrSlow is returned when the store did not answer in time.
var ErrSlow = errors.New("store is slow")

// Store takes rows.
type Store interface {
	Upsert(rows []string) int
}

// Mover moves rows into a store.
type Mover struct {
	store   Store
	timeout time.Duration
}

// NewMover makes a mover.
func NewMover(s Store, timeout time.Duration) *Mover {
	return &Mover{s, timeout}
}

// Move returns how many rows the store took.
func (m *Mover) Move(ctx context.Context, rows []string) (moved int, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	taken := make(chan struct{})
	go func() {
		moved = m.store.Upsert(rows) //race:moved
		close(taken)
	}()
	select {
	case <-taken:
		return moved, nil
	case <-ctx.Done():
		return 0, ErrSlow //race:moved
	}
}
