// Package weather collects what stations measure.
package weather

import (
	"fmt"
	"sync"
)

// Reading is what a station sends.
type Reading struct {
	Celsius  float64
	Humidity int
}

// Net knows the last reading of every station.
type Net struct {
	mu       sync.RWMutex
	readings map[string]Reading
	asked    int
	latest   string
}

// NewNet returns a net without stations.
func NewNet() *Net {
	return &Net{readings: make(map[string]Reading)}
}

// Put keeps a reading.
func (n *Net) Put(station string, r Reading) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readings[station] = r
}

// Get returns the last reading of a station.
func (n *Net) Get(station string) (Reading, error) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	r, ok := n.readings[station]
	if !ok {
		return Reading{}, fmt.Errorf("weather: no station %s", station)
	}
	n.note(station)
	return r, nil
}

// note must be called with the lock.
func (n *Net) note(station string) {
	n.asked++          //race:Net.asked
	n.latest = station //race:Net.latest
}
