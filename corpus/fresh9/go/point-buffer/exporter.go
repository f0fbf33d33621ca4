package points

import (
	"context"
	"time"
)

type Point struct {
	Series string
	Value  float64
}

type Sink interface {
	Write([]Point) error
}

type Exporter struct {
	sink     Sink
	interval time.Duration
	pending  []Point
	dropped  int
	done     chan struct{}
}

func NewExporter(sink Sink, interval time.Duration) *Exporter {
	return &Exporter{sink: sink, interval: interval, done: make(chan struct{})}
}

func (e *Exporter) Record(series string, v float64) {
	e.pending = append(e.pending, Point{series, v}) //race:Exporter.pending
}

func (e *Exporter) Run(ctx context.Context) {
	defer close(e.done)
	t := time.NewTicker(e.interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			e.flush()
			return
		case <-t.C:
			e.flush()
		}
	}
}

func (e *Exporter) flush() {
	batch := e.pending //race:Exporter.pending
	if len(batch) == 0 {
		return
	}
	e.pending = nil //race:Exporter.pending
	if err := e.sink.Write(batch); err != nil {
		e.dropped += len(batch)
	}
}
