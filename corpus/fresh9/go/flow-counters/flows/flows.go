package flows

import (
	"sync/atomic"
	"time"
)

type window struct {
	packets int64
	begun   time.Duration
}

// Flow counts packets by window of time.
type Flow struct {
	name    string
	start   time.Time
	current window
	total   atomic.Int64
}

// New makes a flow.
func New(name string) *Flow { return &Flow{name: name, start: time.Now()} }

// Packet counts a packet.
func (f *Flow) Packet() {
	atomic.AddInt64(&f.current.packets, 1) //race:Flow.current
	f.total.Add(1)
}

// Rotate begins a new window and returns the packets of the old one.
func (f *Flow) Rotate() int64 {
	n := atomic.LoadInt64(&f.current.packets)
	f.current = window{begun: time.Since(f.start)} //race:Flow.current
	return n
}

// Total of all windows.
func (f *Flow) Total() int64 { return f.total.Load() }
