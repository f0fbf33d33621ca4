// Package link reads frames from a wire.
package link

import (
	"time"

	"github.com/deadheat-corpus/muxstreams/mux"
)

// Sink takes frames.
type Sink func(f mux.Frame)

// Link is one of several wires to the same peer.
type Link struct {
	name  string
	every time.Duration
}

// New returns a link that gets a frame now and then.
func New(name string, every time.Duration) *Link {
	return &Link{name: name, every: every}
}

// Pump hands all frames to the sink.
func (l *Link) Pump(frames []mux.Frame, to Sink) {
	for _, f := range frames {
		time.Sleep(l.every)
		to(f)
	}
}
