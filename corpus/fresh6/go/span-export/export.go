package main

import (
	"context"
	"errors"
	"time"
)

type status int

const (
	statusPending status = iota
	statusSent
	statusTimedOut
)

type span struct {
	name  string
	start time.Time
}

type exportOp struct {
	spans   []span
	status  status
	dropped int
	done    chan struct{}
}

type collector struct {
	latency time.Duration
}

func (c *collector) post(spans []span) error {
	time.Sleep(c.latency)
	if len(spans) == 0 {
		return errors.New("empty batch")
	}
	return nil
}

type exporter struct {
	to *collector
}

func (e *exporter) deliver(op *exportOp) {
	defer close(op.done)
	if err := e.to.post(op.spans); err != nil {
		op.dropped = len(op.spans) //race:exportOp.dropped
		return
	}
	op.dropped = 0         //race:exportOp.dropped
	op.status = statusSent //race:exportOp.status
}

// Export sends a batch and gives up at the deadline of the context.
func (e *exporter) Export(ctx context.Context, spans []span) *exportOp {
	op := &exportOp{spans: spans, done: make(chan struct{})}
	go e.deliver(op)
	select {
	case <-op.done:
	case <-ctx.Done():
		op.status = statusTimedOut //race:exportOp.status
		op.dropped = len(spans)    //race:exportOp.dropped
	}
	return op
}
