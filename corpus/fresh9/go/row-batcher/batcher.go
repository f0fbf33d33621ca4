package main

import "sync"

type row struct {
	table  string
	values []any
}

type batcher struct {
	max    int
	flush  func([]row)
	mu     sync.Mutex
	rows   []row
	closed bool
}

func newBatcher(max int, flush func([]row)) *batcher {
	return &batcher{max: max, flush: flush}
}

// add keeps a row, and flushes when there are enough.
func (b *batcher) add(r row) {
	if len(b.rows) >= b.max { //race:batcher.rows
		b.drain()
	}
	b.mu.Lock()
	b.rows = append(b.rows, r) //race:batcher.rows
	b.mu.Unlock()
}

func (b *batcher) drain() {
	b.mu.Lock()
	full := b.rows
	b.rows = make([]row, 0, b.max) //race:batcher.rows
	b.mu.Unlock()
	if len(full) > 0 {
		b.flush(full)
	}
}

func (b *batcher) close() {
	b.drain()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}
