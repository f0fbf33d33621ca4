// Package quota reserves capacity in a remote ledger.
package quota

import (
	"context"
	"errors"
	"time"
)

// ErrLate is returned if the ledger does not answer in time.
var ErrLate = errors.New("quota: no answer")

// Ledger is asked for units.
type Ledger func(units int) int

// Reserve asks for units and returns how many were granted.
func Reserve(ctx context.Context, ask Ledger, units int) (granted int, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		granted = ask(units) //race:granted
	}()
	select {
	case <-answered:
		if granted < units {
			err = errors.New("quota: exhausted")
		}
		return granted, err
	case <-ctx.Done():
		return 0, ErrLate //race:granted
	}
}

// Slow is a ledger far away.
func Slow(units int) int {
	time.Sleep(6 * time.Millisecond)
	return units
}
