package flow

import (
	"sync"
	"testing"
	"time"
)

func TestTwoSources(t *testing.T) {
	last := NewLimit(0)
	p := New(func(Item) error { return nil }, last,
		NewRename("a/"), NewLimit(90), NewRename("b/"), NewRename("c/"), NewLimit(80))
	var open sync.WaitGroup
	for _, every := range []time.Duration{3, 4} {
		open.Add(1)
		go func(every time.Duration) {
			defer open.Done()
			for size := 0; size < 2; size++ {
				time.Sleep(every * time.Millisecond)
				_ = p.Feed(Item{"k", size})
			}
		}(every)
	}
	open.Wait()
}
