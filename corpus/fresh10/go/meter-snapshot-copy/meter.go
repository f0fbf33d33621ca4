package main

import (
	"sync"
	"time"
)

type reading struct {
	watts int
	at    time.Time
}

// meter sums up readings.
type meter struct {
	id    string
	mu    sync.Mutex
	joule int64
	peak  int
	count int
}

func (m *meter) add(r reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.joule += int64(r.watts) * 60 //race:meter.joule
	m.count++                      //race:meter.count
	if r.watts > m.peak {
		m.peak = r.watts
	}
}
