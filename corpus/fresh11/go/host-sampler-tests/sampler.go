// Package sampler measures the host.
package sampler

import (
	"runtime"
	"time"
)

// Sample is one measurement.
type Sample struct {
	Goroutines int
	Seq        int
}

// Latest is the newest sample of the process's sampler, for the crash report.
var Latest Sample

// Sampler measures until it is stopped.
type Sampler struct {
	quit chan struct{}
	done chan struct{}
	out  chan Sample
}

// Start begins to measure.
func Start(every time.Duration) *Sampler {
	s := &Sampler{quit: make(chan struct{}), done: make(chan struct{}), out: make(chan Sample, 1)}
	go s.run(every)
	return s
}

func (s *Sampler) run(every time.Duration) {
	defer close(s.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for seq := 1; ; seq++ {
		select {
		case <-s.quit:
			return
		case <-tick.C:
		}
		Latest = Sample{runtime.NumGoroutine(), seq} //race:Latest
		select {
		case s.out <- Sample{runtime.NumGoroutine(), seq}:
		default:
		}
	}
}

// Stop ends the measuring and waits for it.
func (s *Sampler) Stop() {
	close(s.quit)
	<-s.done
}
