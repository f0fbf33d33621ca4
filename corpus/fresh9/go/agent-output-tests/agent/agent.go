package agent

import (
	"sync/atomic"
	"time"
)

// Printf is how an agent logs.
type Printf func(format string, args ...any)

// Agent sends heartbeats.
type Agent struct {
	name  string
	log   Printf
	every time.Duration
	beats int64
	stop  chan struct{}
}

// Start starts an agent.
func Start(name string, every time.Duration, log Printf) *Agent {
	a := &Agent{name: name, log: log, every: every, stop: make(chan struct{})}
	go a.heartbeat()
	return a
}

func (a *Agent) heartbeat() {
	for {
		select {
		case <-a.stop:
			return
		case <-time.After(a.every):
			n := atomic.AddInt64(&a.beats, 1)
			a.log("%s: beat %d", a.name, n) //race:common.done
		}
	}
}

// Stop ends the heartbeats.
func (a *Agent) Stop() { close(a.stop) }
