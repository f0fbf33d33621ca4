// Package quota lets a service be called so often per interval and not more.
package quota

import (
	"errors"
	"time"

	"github.com/deadheat-corpus/window/window"
)

// ErrSpent is returned when the quota of the interval is used up.
var ErrSpent = errors.New("quota: spent")

// Quota limits calls.
type Quota struct {
	calls *window.Window
	limit int64
}

// New returns a quota of so many calls per interval.
func New(name string, limit int64) *Quota {
	return &Quota{calls: window.Open(name), limit: limit}
}

// Do runs a call, if the quota allows it.
func (q *Quota) Do(call func() error) error {
	if q.calls.Observe() > q.limit {
		return ErrSpent
	}
	return call()
}

// Tick ends an interval and says how many calls a second there were.
func (q *Quota) Tick(now time.Time) float64 {
	s := q.calls.Roll(now)
	if s.Length <= 0 {
		return 0
	}
	return float64(s.Requests) / s.Length.Seconds()
}
