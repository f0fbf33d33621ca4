package client

import (
	"context"
	"testing"
	"time"

	"github.com/deadheat-corpus/jitter/retry"
)

func TestClientsTryAgain(t *testing.T) {
	p := retry.NewPolicy(time.Millisecond, 4*time.Millisecond, 1)
	errs := make(chan error, 3)
	for i := 0; i < cap(errs); i++ {
		go func() { errs <- New(p).Get(context.Background(), "thing") }()
	}
	for i := 0; i < cap(errs); i++ {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
