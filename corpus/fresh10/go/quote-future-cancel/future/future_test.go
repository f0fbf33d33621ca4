package future

import (
	"context"
	"errors"
	"testing"
	"time"
)

func later(d time.Duration) func() (int, error) {
	return func() (int, error) {
		time.Sleep(d)
		return 42, nil
	}
}

func TestWaitIsCancelled(t *testing.T) {
	f := Go(later(4 * time.Millisecond))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	if _, err := f.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	time.Sleep(4 * time.Millisecond)
}

func TestWait(t *testing.T) {
	f := Go(later(0))
	if v, err := f.Wait(context.Background()); v != 42 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}
