// Package gauge has numbers that go up and down.
package gauge

import "sync"

// Gauge is a number with a name; the handles that With returns share the number.
type Gauge struct {
	mu     sync.Mutex
	sum    *int64
	labels string
}

// New makes a gauge.
func New() *Gauge { return &Gauge{sum: new(int64)} }

// Add changes the gauge.
func (g Gauge) Add(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*g.sum += n //race:Gauge.sum
}

// Value is the number now.
func (g *Gauge) Value() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return *g.sum
}
