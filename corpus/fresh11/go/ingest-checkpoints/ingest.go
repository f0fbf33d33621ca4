// Package ingest writes lines in the background.
package ingest

import (
	"sync"
	"time"
)

// Ingester writes batches of lines.
type Ingester struct {
	pending sync.WaitGroup
	mu      sync.Mutex
	written int
}

// Flush starts to write a batch, one goroutine per line.
func (in *Ingester) Flush(lines []string) {
	in.pending.Add(len(lines)) //race:Ingester.pending
	for _, line := range lines {
		go in.write(line)
	}
}

func (in *Ingester) write(line string) {
	defer in.pending.Done()
	time.Sleep(time.Millisecond)
	in.mu.Lock()
	in.written += len(line)
	in.mu.Unlock()
}

// Sync waits for what was flushed.
func (in *Ingester) Sync() {
	in.pending.Wait() //race:Ingester.pending
}
