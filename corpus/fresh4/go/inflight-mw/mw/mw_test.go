package mw

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestShed(t *testing.T) {
	l := &limiter{max: 8}
	call := Wrap(work(20*time.Millisecond), l.shed, l.track)
	var clients sync.WaitGroup
	for _, start := range []time.Duration{2, 9} {
		clients.Add(1)
		go func(start time.Duration) {
			defer clients.Done()
			time.Sleep(start * time.Millisecond)
			if err := call(context.Background(), "Get"); err != nil {
				t.Error(err)
			}
		}(start)
	}
	clients.Wait()
}
