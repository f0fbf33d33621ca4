package main

import (
	"sync/atomic"
	"time"
)

type stats struct {
	accepted int64
	window   time.Time
	label    string
}

type listener struct {
	stats stats
	done  chan struct{}
}

func newListener() *listener {
	return &listener{stats: stats{window: time.Now()}, done: make(chan struct{})}
}

func (l *listener) onAccept() {
	atomic.AddInt64(&l.stats.accepted, 1) //race:stats.accepted
}

func (l *listener) acceptLoop(n int, gap time.Duration) {
	defer close(l.done)
	for i := 0; i < n; i++ {
		time.Sleep(gap)
		l.onAccept()
	}
}

type window struct {
	from  time.Time
	count int64
}

type reporter struct {
	ln      *listener
	windows []window
}

// rotate ends a window and begins the next.
func (r *reporter) rotate() {
	st := &r.ln.stats
	w := window{from: st.window, count: atomic.LoadInt64(&st.accepted)}
	r.windows = append(r.windows, w)
	*st = stats{window: time.Now(), label: "rotated"} //race:stats.accepted
}
