package worker

import (
	"sync/atomic"
	"time"
)

// Shard is a range of documents.
type Shard struct{ From, To uint32 }

// Worker merges the segments of the shards it owns.
type Worker struct {
	name   string
	owned  []Shard
	merged int64
	quit   chan struct{}
	gone   chan struct{}
}

// Start brings up a worker that owns nothing yet.
func Start(name string) *Worker {
	w := &Worker{name: name, quit: make(chan struct{}), gone: make(chan struct{})}
	go w.loop()
	return w
}

// OnAssign is called by the coordinator.
func (w *Worker) OnAssign(shards []Shard) {
	w.owned = append([]Shard(nil), shards...) //race:Worker.owned
}

func (w *Worker) loop() {
	defer close(w.gone)
	for {
		select {
		case <-w.quit:
			return
		case <-time.After(time.Millisecond):
			w.mergeOwned()
		}
	}
}

func (w *Worker) mergeOwned() {
	for _, s := range w.owned { //race:Worker.owned
		atomic.AddInt64(&w.merged, int64(s.To-s.From))
	}
}

// Stop ends the loop.
func (w *Worker) Stop() int64 {
	close(w.quit)
	<-w.gone
	return atomic.LoadInt64(&w.merged)
}
