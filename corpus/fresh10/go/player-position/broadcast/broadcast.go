// Package broadcast sends positions to all clients.
package broadcast

import (
	"fmt"
	"strings"
	"time"
)

// Target is something with a place.
type Target interface {
	Name() string
	Position() (x, y float64)
}

// Broadcaster sends frames.
type Broadcaster struct {
	every   time.Duration
	targets []Target
	frames  []string
}

// New makes a broadcaster.
func New(every time.Duration) *Broadcaster { return &Broadcaster{every: every} }

// Follow adds a target, before the start.
func (b *Broadcaster) Follow(t Target) { b.targets = append(b.targets, t) }

// Frames tells how many were sent, after the end.
func (b *Broadcaster) Frames() int { return len(b.frames) }

// Start begins to send; the function that it returns ends it.
func (b *Broadcaster) Start() (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-quit:
				return
			case <-time.After(b.every):
				b.send()
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}

func (b *Broadcaster) send() {
	var frame strings.Builder
	for _, t := range b.targets {
		x, y := t.Position()
		fmt.Fprintf(&frame, "%s %.1f %.1f;", t.Name(), x, y)
	}
	b.frames = append(b.frames, frame.String())
}
