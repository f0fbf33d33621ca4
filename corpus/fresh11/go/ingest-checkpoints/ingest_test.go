package ingest

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestEveryBatchIsACheckpoint(t *testing.T) {
	in := &Ingester{}
	batches := make(chan []string)
	var saved atomic.Int32
	go Checkpoints(in, batches, func() { saved.Add(1) })
	for i := 0; i < 3; i++ {
		batches <- []string{"GET /", "GET /health"}
		time.Sleep(8 * time.Millisecond)
	}
	close(batches)
	time.Sleep(5 * time.Millisecond)
	if saved.Load() != 3 {
		t.Logf("%d checkpoints", saved.Load())
	}
}
