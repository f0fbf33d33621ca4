// Package gauge measures flows.
package gauge

import (
	"sync/atomic"
)

// Gauge measures one flow.
type Gauge struct {
	value int64
	peak  int64
}

// Raise adds to the value and keeps its peak.
func (g *Gauge) Raise(by int64) {
	v := atomic.AddInt64(&g.value, by) //race:Gauge.value
	p := atomic.LoadInt64(&g.peak)     //race:Gauge.peak
	if v > p {
		atomic.CompareAndSwapInt64(&g.peak, p, v) //race:Gauge.peak
	}
}

// Value is the value at the moment.
func (g *Gauge) Value() int64 {
	return g.value //race:Gauge.value
}

// Flatten forgets the peak.
func (g *Gauge) Flatten() {
	g.peak = 0 //race:Gauge.peak
}
