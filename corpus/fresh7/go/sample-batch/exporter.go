package main

import (
	"sync"
	"time"
)

type sample struct {
	series string
	value  float64
	at     time.Time
}

type sender func(batch []sample) error

// exporter gathers samples and sends them in batches.
type exporter struct {
	interval time.Duration
	send     sender
	batch    []sample
	dropped  int
	done     chan struct{}
	wg       sync.WaitGroup
}

func newExporter(interval time.Duration, send sender) *exporter {
	return &exporter{interval: interval, send: send, done: make(chan struct{})}
}

func (e *exporter) start() {
	e.wg.Add(1)
	go e.flushLoop()
}

func (e *exporter) observe(series string, v float64) {
	e.batch = append(e.batch, sample{series: series, value: v, at: time.Now()}) //race:exporter.batch
}

func (e *exporter) take() []sample {
	out := append([]sample(nil), e.batch...) //race:exporter.batch
	e.batch = nil                            //race:exporter.batch
	return out
}

func (e *exporter) flushLoop() {
	defer e.wg.Done()
	tick := time.NewTicker(e.interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.flush()
		case <-e.done:
			return
		}
	}
}

func (e *exporter) flush() {
	b := e.take()
	if len(b) == 0 {
		return
	}
	if err := e.send(b); err != nil {
		e.dropped += len(b)
	}
}

func (e *exporter) stop() {
	close(e.done)
	e.wg.Wait()
}
