package main

import (
	"context"
	"fmt"
	"time"
)

type rowBatch struct {
	table string
	rows  int
}

type sink interface {
	Write(ctx context.Context, b rowBatch) error
}

// loader writes batches with several workers.
type loader struct {
	sink    sink
	loaded  int
	pending chan rowBatch
	group   *group
}

// group runs functions and returns the first error.
type group struct {
	errs chan error
	n    int
}

func (g *group) run(f func() error) {
	g.n++
	go func() { g.errs <- f() }()
}

func (g *group) wait() error {
	var first error
	for i := 0; i < g.n; i++ {
		if err := <-g.errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func newLoader(s sink, batches []rowBatch) *loader {
	l := &loader{sink: s, pending: make(chan rowBatch, len(batches)), group: &group{errs: make(chan error, 8)}}
	for _, b := range batches {
		l.pending <- b
	}
	close(l.pending)
	return l
}

func (l *loader) drain(ctx context.Context) error {
	for b := range l.pending {
		if err := l.sink.Write(ctx, b); err != nil {
			return fmt.Errorf("table %s: %w", b.table, err)
		}
		l.loaded += b.rows //race:loader.loaded
	}
	return nil
}

func (l *loader) load(ctx context.Context, workers int) (int, error) {
	for i := 0; i < workers; i++ {
		l.group.run(func() error { return l.drain(ctx) })
	}
	err := l.group.wait()
	return l.loaded, err
}

type slowSink time.Duration

func (s slowSink) Write(ctx context.Context, b rowBatch) error {
	time.Sleep(time.Duration(s))
	return ctx.Err()
}

func main() {
	l := newLoader(slowSink(time.Millisecond), []rowBatch{{"users", 10}, {"orders", 40}, {"items", 90}, {"carts", 5}})
	n, err := l.load(context.Background(), 2)
	fmt.Println("loaded", n > 0, err)
}
