// Package relay keeps workers alive.
package relay

import (
	"time"

	"example.com/relay/worker"
)

// Supervisor looks after workers.
type Supervisor struct {
	workers []*worker.Worker
	every   time.Duration
}

// Supervise starts all workers.
func Supervise(every time.Duration, workers ...*worker.Worker) *Supervisor {
	for _, w := range workers {
		w.Start()
	}
	return &Supervisor{workers: workers, every: every}
}

// AwaitFailure returns as soon as a worker is not healthy, or after so many looks.
func (s *Supervisor) AwaitFailure(looks int) bool {
	for i := 0; i < looks; i++ {
		if s.anyFailed() {
			return true
		}
		time.Sleep(s.every)
	}
	return false
}

func (s *Supervisor) anyFailed() bool {
	for _, w := range s.workers {
		if !w.Healthy() {
			return true
		}
	}
	return false
}
