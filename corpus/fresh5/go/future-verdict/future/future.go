package future

import (
	"context"
	"time"
)

// Future is the score of a transaction, some day.
type Future struct {
	ready chan struct{}
	score float64
	err   error
}

// Score starts to compute a score.
func Score(compute func() (float64, error)) *Future {
	f := &Future{ready: make(chan struct{}, 1)}
	go func() {
		score, err := compute()
		f.score = score
		f.err = err //race:Future.err
		f.ready <- struct{}{}
	}()
	return f
}

// Wait returns the score, or why there is none.
func (f *Future) Wait(ctx context.Context) (float64, error) {
	select {
	case <-f.ready:
		return f.score, f.err
	case <-ctx.Done():
		f.err = ctx.Err() //race:Future.err
		return 0, f.err
	}
}

// Slow is a model that takes its time.
func Slow(d time.Duration) func() (float64, error) {
	return func() (float64, error) {
		time.Sleep(d)
		return 0.5, nil
	}
}
