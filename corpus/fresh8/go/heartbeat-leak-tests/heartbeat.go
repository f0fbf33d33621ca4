package node

import (
	"sync/atomic"
	"time"
)

// Name is what this node calls itself.
var Name = "node-0"

// Heartbeat says at intervals that the node is alive.
type Heartbeat struct {
	sent  int64
	bytes int64
	quit  chan struct{}
}

// NewHeartbeat starts one.
func NewHeartbeat(every time.Duration) *Heartbeat {
	h := &Heartbeat{quit: make(chan struct{})}
	go h.run(every)
	return h
}

func (h *Heartbeat) run(every time.Duration) {
	for {
		select {
		case <-h.quit:
			return
		case <-time.After(every):
			h.beat()
		}
	}
}

func (h *Heartbeat) beat() {
	atomic.AddInt64(&h.bytes, int64(len(Name))) //race:Name
	atomic.AddInt64(&h.sent, 1)
}

// Sent says how many there were.
func (h *Heartbeat) Sent() int64 { return atomic.LoadInt64(&h.sent) }

// Close ends it.
func (h *Heartbeat) Close() { close(h.quit) }
