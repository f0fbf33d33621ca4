// Package disks watches how full disks are.
package disks

import "sync"

// Monitor keeps the usage of each disk and the highest of all.
type Monitor struct {
	mu    sync.Mutex
	usage map[string]float64
	peak  float64
}

// NewMonitor makes a monitor.
func NewMonitor() *Monitor { return &Monitor{usage: map[string]float64{}} }

// Observe notes the usage of a disk.
func (m *Monitor) Observe(disk string, used float64) {
	m.mu.Lock()
	m.usage[disk] = used
	m.mu.Unlock()
	if used > m.peak { //race:Monitor.peak
		m.peak = used //race:Monitor.peak
	}
}

// Peak is the highest usage ever seen.
func (m *Monitor) Peak() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peak //race:Monitor.peak
}
