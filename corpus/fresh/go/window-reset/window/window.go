// Package window counts requests per interval.
package window

import (
	"sync/atomic"
	"time"
)

// Window is one interval; its counter may be used by anybody.
type Window struct {
	requests int64
	started  time.Time
	name     string
}

// Snapshot is what a window held.
type Snapshot struct {
	Requests int64
	Length   time.Duration
}

// Open returns a window that starts now.
func Open(name string) *Window {
	return &Window{name: name, started: time.Now()}
}

// Observe counts one request.
func (w *Window) Observe() int64 {
	return atomic.AddInt64(&w.requests, 1) //race:Window.requests
}

// Roll returns what was counted and starts the next interval.
func (w *Window) Roll(now time.Time) Snapshot {
	s := Snapshot{
		Requests: atomic.LoadInt64(&w.requests),
		Length:   now.Sub(w.started),
	}
	*w = Window{name: w.name, started: now} //race:Window.requests
	return s
}
