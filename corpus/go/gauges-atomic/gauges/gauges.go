// Package gauges counts requests.
package gauges

import "sync/atomic"

// Gauges are changed by every request.
type Gauges struct {
	inflight int64
	queued   int64
}

// Enter counts a request in.
func (g *Gauges) Enter() {
	atomic.AddInt64(&g.queued, 1)   //race:Gauges.queued
	atomic.AddInt64(&g.inflight, 1) //race:Gauges.inflight
}

// Busy tells whether requests are under way.
func (g *Gauges) Busy() bool {
	return g.inflight > 0 //race:Gauges.inflight
}

// Backlog is how many wait.
func (g *Gauges) Backlog() int64 {
	return g.queued //race:Gauges.queued
}
