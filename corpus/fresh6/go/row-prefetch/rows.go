package main

import (
	"io"
	"sync"
	"time"
)

type wire struct {
	left  int
	delay time.Duration
}

func (w *wire) fetch(n int) ([]string, error) {
	time.Sleep(w.delay)
	if w.left == 0 {
		return nil, io.EOF
	}
	if n > w.left {
		n = w.left
	}
	w.left -= n
	return make([]string, n), nil
}

// Rows is the result of a query; a goroutine fetches ahead.
type Rows struct {
	w     *wire
	ready sync.Once
	first chan struct{}
	buf   []string
	seen  int
}

func newRows(w *wire) *Rows {
	r := &Rows{w: w, first: make(chan struct{})}
	go r.prefetch()
	return r
}

func (r *Rows) prefetch() {
	for {
		part, err := r.w.fetch(10)
		if err != nil {
			return
		}
		r.seen += len(part)            //race:Rows.seen
		r.buf = append(r.buf, part...) //race:Rows.buf
		r.ready.Do(func() { close(r.first) })
	}
}

// Any waits for the first rows.
func (r *Rows) Any() bool {
	select {
	case <-r.first:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// Close frees what was fetched.
func (r *Rows) Close() error {
	r.buf = nil //race:Rows.buf
	r.seen = 0  //race:Rows.seen
	return nil
}
