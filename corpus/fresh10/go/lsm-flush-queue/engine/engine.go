package engine

import (
	"sync"
	"time"
)

const tableLimit = 64

// Engine writes to a memtable and flushes the frozen ones in the background.
type Engine struct {
	mu        sync.Mutex
	active    *memtable
	immutable []*memtable
	seq       uint64
	runs      [][]entry

	quit chan struct{}
	done chan struct{}
}

// Open starts the flusher.
func Open() *Engine {
	e := &Engine{
		active: &memtable{},
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go e.flushLoop(200 * time.Microsecond)
	return e
}

// Put writes a key, and freezes the memtable when it is full.
func (e *Engine) Put(key, value string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seq++
	if e.active.add(entry{key, value, e.seq}) < tableLimit {
		return
	}
	e.immutable = append(e.immutable, e.active) //race:Engine.immutable
	e.active = &memtable{}
}

// pending tells whether something waits to be flushed.
func (e *Engine) pending() bool {
	return len(e.immutable) > 0 //race:Engine.immutable
}

func (e *Engine) flushLoop(every time.Duration) {
	defer close(e.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-e.quit:
			return
		case <-tick.C:
			if e.pending() {
				e.flushOldest()
			}
		}
	}
}

func (e *Engine) flushOldest() {
	e.mu.Lock()
	table := e.immutable[0]
	e.immutable = e.immutable[1:] //race:Engine.immutable
	e.mu.Unlock()

	run := table.sorted()
	e.mu.Lock()
	e.runs = append(e.runs, run)
	e.mu.Unlock()
}

// Close stops the flusher and returns the number of sorted runs.
func (e *Engine) Close() int {
	close(e.quit)
	<-e.done
	return len(e.runs)
}
