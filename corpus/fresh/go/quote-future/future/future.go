// Package future runs a function in the background and waits for it with a limit.
package future

import "context"

// Future is a result that is not there yet.
type Future struct {
	fn    func() (interface{}, error)
	ready chan struct{}
	value interface{}
	err   error
}

// New returns a future that has not been started.
func New(fn func() (interface{}, error)) *Future {
	return &Future{fn: fn, ready: make(chan struct{})}
}

// Start runs the function.
func (f *Future) Start() *Future {
	go func() {
		f.resolve(f.fn())
		close(f.ready)
	}()
	return f
}

func (f *Future) resolve(value interface{}, err error) {
	f.value = value
	f.err = err //race:Future.err
}

// Wait returns nil when the result is there.
func (f *Future) Wait(ctx context.Context) error {
	select {
	case <-f.ready:
		return nil
	case <-ctx.Done():
		f.err = ctx.Err() //race:Future.err
		return f.err      //race:Future.err
	}
}
