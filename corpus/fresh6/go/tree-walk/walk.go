package main

import (
	"sync"
	"sync/atomic"
	"time"
)

type dir struct {
	name  string
	files int
	subs  []*dir
}

type walker struct {
	latency time.Duration
	wg      sync.WaitGroup
	files   int64
}

func (w *walker) visit(d *dir) {
	w.wg.Add(1) //race:walker.wg
	defer w.wg.Done()
	time.Sleep(w.latency)
	atomic.AddInt64(&w.files, int64(d.files))
	for _, s := range d.subs {
		go w.visit(s)
	}
}

// Count returns how many files are below a directory.
func (w *walker) Count(root *dir) int64 {
	go w.visit(root)
	time.Sleep(200 * time.Microsecond)
	w.wg.Wait() //race:walker.wg
	return atomic.LoadInt64(&w.files)
}
