// Package ship sends log lines to a collector.
package ship

import (
	"sync"
	"sync/atomic"
	"time"
)

// Collector takes lines.
type Collector interface {
	Collect(lines []string) error
}

// Shipper sends batches in the background.
type Shipper struct {
	open sync.WaitGroup
	sent int64
	to   Collector
}

// New returns a shipper to a collector.
func New(to Collector) *Shipper {
	return &Shipper{to: to}
}

// Ship sends lines, a batch at a time.
func (s *Shipper) Ship(lines []string, size int) {
	for len(lines) > 0 {
		n := size
		if n > len(lines) {
			n = len(lines)
		}
		go s.deliver(lines[:n])
		lines = lines[n:]
		time.Sleep(time.Millisecond)
	}
}

func (s *Shipper) deliver(batch []string) {
	s.open.Add(1) //race:Shipper.open
	defer s.open.Done()
	if s.to.Collect(batch) == nil {
		atomic.AddInt64(&s.sent, int64(len(batch)))
	}
}

// Close waits for all batches and returns how many lines were sent.
func (s *Shipper) Close() int64 {
	s.open.Wait() //race:Shipper.open
	return atomic.LoadInt64(&s.sent)
}
