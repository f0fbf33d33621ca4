package counter

import (
	"sync"
	"testing"
)

func TestInc(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.Inc("requests")
		}()
	}
	wg.Wait()
}
