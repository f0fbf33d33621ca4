package main

import (
	"sync"
	"sync/atomic"
	"time"
)

type logLine struct {
	level int
	text  string
}

// ring keeps the newest lines and counts those that found no room.
type ring struct {
	lines   chan logLine
	dropped int64
	written int64
}

func newRing(n int) *ring { return &ring{lines: make(chan logLine, n)} }

func (r *ring) offer(l logLine) {
	select {
	case r.lines <- l:
		atomic.AddInt64(&r.written, 1)
	default:
		atomic.AddInt64(&r.dropped, 1) //race:ring.dropped
	}
}

type ringStats struct {
	Written int64
	Dropped int64
}

func (r *ring) stats() ringStats {
	return ringStats{
		Written: atomic.LoadInt64(&r.written),
		Dropped: r.dropped, //race:ring.dropped
	}
}

func produce(r *ring, n int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < n; i++ {
		r.offer(logLine{level: i % 3, text: "tick"})
		time.Sleep(200 * time.Microsecond)
	}
}
