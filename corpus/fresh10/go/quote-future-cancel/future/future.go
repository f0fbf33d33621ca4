// Package future has values that come later.
package future

import "context"

// Future is a value on its way.
type Future[T any] struct {
	ready chan struct{}
	value T
	err   error
}

// Go computes a value in the background.
func Go[T any](compute func() (T, error)) *Future[T] {
	f := &Future[T]{ready: make(chan struct{})}
	go f.resolve(compute)
	return f
}

func (f *Future[T]) resolve(compute func() (T, error)) {
	value, err := compute()
	f.value = value
	f.err = err //race:Future.err
	close(f.ready)
}

// Wait returns the value, or why there is none.
func (f *Future[T]) Wait(ctx context.Context) (T, error) {
	var none T
	select {
	case <-f.ready:
		return f.value, f.err
	case <-ctx.Done():
		f.err = ctx.Err()  //race:Future.err
		return none, f.err //race:Future.err
	}
}
