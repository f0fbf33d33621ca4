// Package saga books a journey in steps that can be undone.
package saga

import (
	"errors"
	"time"
)

// ErrFull says that there is no place.
var ErrFull = errors.New("saga: full")

type step func() error

func slow(d time.Duration, err error) step {
	return func() error {
		time.Sleep(d)
		return err
	}
}
