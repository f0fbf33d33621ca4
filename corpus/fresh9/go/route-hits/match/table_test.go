package match

import (
	"sync"
	"testing"
)

func TestMatchLongestPrefix(t *testing.T) {
	var tb Table
	tb.Add("/", "web")
	tb.Add("/api", "api")
	if got, _ := tb.Match("/api/v1"); got != "api" {
		t.Errorf("got %q", got)
	}
}

func TestMatchFromManyConnections(t *testing.T) {
	var tb Table
	tb.Add("/api", "api")
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			for j := 0; j < 25; j++ {
				tb.Match("/api/orders")
			}
		}()
	}
	close(start)
	wg.Wait()
	if tb.Hits("/api") == 0 {
		t.Error("no hits")
	}
}
