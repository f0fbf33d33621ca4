// Package mirror keeps two repositories alike.
package mirror

import (
	"errors"
	"time"
)

// ErrOffline is returned when nobody answers.
var ErrOffline = errors.New("mirror: offline")

// Remote is a repository elsewhere.
type Remote interface {
	Pull() error
	Push() error
}

// Fake is a remote for trials.
type Fake struct {
	PullTime, PushTime time.Duration
	Broken             bool
}

// Pull takes its time.
func (f Fake) Pull() error {
	time.Sleep(f.PullTime)
	return f.fault()
}

// Push takes its time.
func (f Fake) Push() error {
	time.Sleep(f.PushTime)
	return f.fault()
}

func (f Fake) fault() error {
	if f.Broken {
		return ErrOffline
	}
	return nil
}
