// Package stats counts bytes.
package stats

import (
	"fmt"
	"sync/atomic"
)

// Stats belongs to one listener.
type Stats struct {
	bytesIn  int64
	bytesOut int64
	conns    int64
}

// AddIn counts what came in.
func (s *Stats) AddIn(n int) {
	atomic.AddInt64(&s.bytesIn, int64(n)) //race:Stats.bytesIn
}

// AddOut counts what went out.
func (s *Stats) AddOut(n int) {
	atomic.AddInt64(&s.bytesOut, int64(n)) //race:Stats.bytesOut
}

// Open counts a connection and returns what counts it off.
func (s *Stats) Open() func() {
	atomic.AddInt64(&s.conns, 1)
	return func() { atomic.AddInt64(&s.conns, -1) }
}

// Ratio compares the two directions.
func (s *Stats) Ratio() float64 {
	in := s.bytesIn   //race:Stats.bytesIn
	out := s.bytesOut //race:Stats.bytesOut
	if in == 0 {
		return 0
	}
	return float64(out) / float64(in)
}

// String is for the log.
func (s *Stats) String() string {
	return fmt.Sprintf("%d open, ratio %.2f", atomic.LoadInt64(&s.conns), s.Ratio())
}
