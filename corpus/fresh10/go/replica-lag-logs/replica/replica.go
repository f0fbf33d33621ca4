// Package replica applies changes of a primary.
package replica

import (
	"sync/atomic"
	"time"
)

// Logf is how a replica speaks.
type Logf func(format string, args ...any)

// Replica follows a primary.
type Replica struct {
	applied atomic.Int64
	logf    Logf
	quit    chan struct{}
}

// Follow begins to apply changes.
func Follow(logf Logf) *Replica {
	r := &Replica{logf: logf, quit: make(chan struct{})}
	go r.run()
	return r
}

func (r *Replica) run() {
	for {
		select {
		case <-r.quit:
			return
		case <-time.After(300 * time.Microsecond):
			n := r.applied.Add(1)
			r.logf("applied %d changes", n) //race:common.done
		}
	}
}

// Applied tells how many changes were applied.
func (r *Replica) Applied() int64 { return r.applied.Load() }

// Detach asks it to stop.
func (r *Replica) Detach() { close(r.quit) }
