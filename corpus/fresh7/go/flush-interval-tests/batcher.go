package batcher

import (
	"sync"
	"time"
)

// flushInterval is how long items may wait.
var flushInterval = 2 * time.Millisecond

// Batcher groups items.
type Batcher struct {
	mu    sync.Mutex
	items []string
	out   func([]string)
}

// New starts a batcher that hands batches to out.
func New(out func([]string)) *Batcher {
	b := &Batcher{out: out}
	go b.run()
	return b
}

func (b *Batcher) wait() { time.Sleep(flushInterval) } //race:flushInterval

func (b *Batcher) run() {
	for {
		b.wait()
		b.mu.Lock()
		batch := b.items
		b.items = nil
		b.mu.Unlock()
		if len(batch) > 0 {
			b.out(batch)
		}
	}
}

// Add queues an item.
func (b *Batcher) Add(item string) {
	b.mu.Lock()
	b.items = append(b.items, item)
	b.mu.Unlock()
}
