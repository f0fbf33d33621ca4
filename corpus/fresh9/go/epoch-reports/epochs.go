package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type trainer struct {
	shards  int
	wg      sync.WaitGroup
	steps   int64
	reports chan string
}

func (t *trainer) step(shard int) {
	defer t.wg.Done()
	time.Sleep(time.Duration(shard+1) * time.Millisecond)
	atomic.AddInt64(&t.steps, 1)
}

func (t *trainer) report(epoch int) {
	t.wg.Wait() //race:trainer.wg
	t.reports <- fmt.Sprintf("epoch %d done", epoch)
}

func (t *trainer) epoch(n int) {
	for s := 0; s < t.shards; s++ {
		t.wg.Add(1) //race:trainer.wg
		go t.step(s)
	}
	go t.report(n)
	time.Sleep(500 * time.Microsecond)
	t.wg.Wait() //race:trainer.wg
}

func (t *trainer) train(epochs int) {
	for e := 1; e <= epochs; e++ {
		t.epoch(e)
	}
}
