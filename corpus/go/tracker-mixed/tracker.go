package tracker

import (
	"strconv"
	"sync/atomic"
)

// Tracker counts the bytes in use.
type Tracker struct {
	label string
	used  int64
}

// Consume adds n bytes.
func (t *Tracker) Consume(n int64) {
	atomic.AddInt64(&t.used, n) //race:Tracker.used
}

// String names the tracker and its use.
func (t *Tracker) String() string {
	return t.label + ": " + strconv.FormatInt(t.used, 10) //race:Tracker.used
}
