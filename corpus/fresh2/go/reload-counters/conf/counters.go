// Package conf reads settings again when they change.
package conf

import "sync/atomic"

// Counters says what happened since the last report.
type Counters struct {
	reloads int64
	since   int64
}

// Reloaded counts.
func (c *Counters) Reloaded() {
	atomic.AddInt64(&c.reloads, 1) //race:Counters.reloads
}
