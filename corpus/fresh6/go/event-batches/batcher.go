package main

import (
	"encoding/json"
	"sync"
	"time"
)

type event struct {
	Name string `json:"name"`
	Seq  int    `json:"seq"`
}

type sink interface {
	Send(body []byte) error
}

// batcher sends events in groups.
type batcher struct {
	size  int
	out   sink
	batch []event
	sends sync.WaitGroup
}

func newBatcher(size int, out sink) *batcher {
	return &batcher{size: size, out: out, batch: make([]event, 0, size)}
}

// Track is called from the loop of the SDK only.
func (b *batcher) Track(ev event) {
	b.batch = append(b.batch, ev) //race:batcher.batch[]
	if len(b.batch) == b.size {
		b.ship()
	}
}

func (b *batcher) ship() {
	full := b.batch
	b.batch = b.batch[:0]
	b.sends.Add(1)
	go b.send(full)
}

func (b *batcher) send(events []event) {
	defer b.sends.Done()
	time.Sleep(300 * time.Microsecond) // a connection is opened
	names := make([]string, 0, len(events))
	for _, ev := range events { //race:batcher.batch[]
		names = append(names, ev.Name)
	}
	body, err := json.Marshal(names)
	if err == nil {
		_ = b.out.Send(body)
	}
}

func (b *batcher) Close() { b.sends.Wait() }
