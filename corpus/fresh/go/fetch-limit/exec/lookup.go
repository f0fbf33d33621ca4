// Package exec has the executors of the query engine.
package exec

import (
	"context"
	"time"
)

// Chunk is a batch of rows.
type Chunk struct {
	Handles []int64
}

// IndexLookup reads handles from an index and hands them on.
type IndexLookup struct {
	Stats  *RuntimeStats
	limit  int
	cancel context.CancelFunc
	out    chan *Chunk
}

// NewIndexLookup returns an executor that gives at most limit rows.
func NewIndexLookup(limit int) *IndexLookup {
	return &IndexLookup{Stats: &RuntimeStats{name: "IndexLookUp"}, limit: limit}
}

// Open starts the fetcher.
func (e *IndexLookup) Open(ctx context.Context) error {
	ctx, e.cancel = context.WithCancel(ctx)
	e.out = make(chan *Chunk, 4)
	e.startFetcher(ctx)
	return nil
}

func (e *IndexLookup) startFetcher(ctx context.Context) {
	go func() {
		defer close(e.out)
		e.fetchLoop(ctx)
	}()
}

func (e *IndexLookup) fetchLoop(ctx context.Context) {
	for next := int64(0); ; next += 32 {
		chunk := scan(next, 32)
		select {
		case <-ctx.Done():
			// what is in flight was paid for, so it is counted
			time.Sleep(15 * time.Millisecond)
			e.Stats.Record(len(chunk.Handles))
			return
		case e.out <- chunk:
		}
	}
}

func scan(from int64, n int) *Chunk {
	time.Sleep(time.Millisecond)
	c := &Chunk{Handles: make([]int64, n)}
	for i := range c.Handles {
		c.Handles[i] = from + int64(i)
	}
	return c
}

// Next returns the next rows, or none at the end.
func (e *IndexLookup) Next() []int64 {
	if e.limit <= 0 {
		return nil
	}
	chunk, ok := <-e.out
	if !ok {
		return nil
	}
	n := len(chunk.Handles)
	if n > e.limit {
		n = e.limit
	}
	e.limit -= n
	return chunk.Handles[:n]
}

// Close gives everything back.
func (e *IndexLookup) Close() error {
	e.cancel()
	return nil
}
