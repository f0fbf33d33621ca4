package trace

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

func fetchPart(ctx context.Context, n int) {
	time.Sleep(500 * time.Microsecond)
	s := FromContext(ctx)
	s.Set(fmt.Sprintf("part.%d", n), n)
	s.AddEvent("fetched")
}

func TestFanOutKeepsAttributes(t *testing.T) {
	ctx, s := Start(context.Background(), "GET /feed")
	var wg sync.WaitGroup
	for n := 0; n < 3; n++ {
		wg.Add(1)
		go func(n int) {
			defer wg.Done()
			fetchPart(ctx, n)
		}(n)
	}
	wg.Wait()
	if s.Size() == 0 {
		t.Error("nothing was kept")
	}
}
