package agent

import (
	"context"
	"runtime"
	"time"
)

// Snapshot of a process.
type Snapshot struct {
	Goroutines int
	HeapKB     uint64
	Complete   bool
}

// Probe fills a part of a snapshot.
type Probe func(*Snapshot)

// Goroutines counts goroutines.
func Goroutines(s *Snapshot) { s.Goroutines = runtime.NumGoroutine() }

// Collect runs probes until the context is done; what it has by then is returned.
func Collect(ctx context.Context, probes ...Probe) *Snapshot {
	snap := new(Snapshot)
	finished := make(chan struct{})
	go func() {
		for _, p := range probes {
			p(snap)
		}
		snap.Complete = true //race:Snapshot.Complete
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
	return snap
}

// Slow wraps a probe that takes a while.
func Slow(d time.Duration, p Probe) Probe {
	return func(s *Snapshot) {
		time.Sleep(d)
		p(s)
	}
}
