package main

import (
	"context"
	"fmt"
	"time"
)

// future is the outcome of a call that runs elsewhere.
type future[T any] struct {
	value T
	err   error
	ready chan struct{}
}

func submit[T any](f func() (T, error)) *future[T] {
	fu := &future[T]{ready: make(chan struct{})}
	go fu.run(f)
	return fu
}

func (fu *future[T]) run(f func() (T, error)) {
	v, err := f()
	fu.value = v
	fu.err = err //race:future.err
	close(fu.ready)
}

func (fu *future[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-fu.ready:
	case <-ctx.Done():
		fu.err = ctx.Err() //race:future.err
		var zero T
		return zero, ctx.Err()
	}
	return fu.value, fu.err
}

type estimate struct {
	rows int
	cost float64
}

func estimateTable(rows int, took time.Duration) func() (estimate, error) {
	return func() (estimate, error) {
		time.Sleep(took)
		return estimate{rows: rows, cost: float64(rows) * 0.1}, nil
	}
}

func main() {
	fast := submit(estimateTable(10, 0))
	slow := submit(estimateTable(1000, 4*time.Millisecond))
	for _, fu := range []*future[estimate]{fast, slow} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
		_, err := fu.wait(ctx)
		fmt.Println(err)
		cancel()
	}
	time.Sleep(5 * time.Millisecond)
}
