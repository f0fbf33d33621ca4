package main

import (
	"context"
	"time"
)

type transport struct {
	revision int64
	addr     string
}

func (t *transport) poll(ctx context.Context) int64 {
	time.Sleep(500 * time.Microsecond)
	t.revision++
	return t.revision
}

// Watcher follows the revisions of a configuration.
type Watcher struct {
	conn   *transport
	cancel context.CancelFunc
	events chan int64
}

// Watch starts to follow.
func Watch(addr string) *Watcher {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{conn: &transport{addr: addr}, cancel: cancel, events: make(chan int64, 64)}
	go w.loop(ctx)
	return w
}

func (w *Watcher) loop(ctx context.Context) {
	for ctx.Err() == nil {
		if !w.step(ctx) {
			return
		}
	}
}

func (w *Watcher) step(ctx context.Context) bool {
	c := w.conn //race:Watcher.conn
	if c == nil {
		return false
	}
	select {
	case w.events <- c.poll(ctx):
	default:
	}
	return true
}

// Close ends the watch.
func (w *Watcher) Close() {
	w.conn = nil //race:Watcher.conn
	w.cancel()
}
