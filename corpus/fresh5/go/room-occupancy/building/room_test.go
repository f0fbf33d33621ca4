package building

import (
	"sync"
	"testing"
)

func TestTwoDoors(t *testing.T) {
	r := NewRoom(40)
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			Door(r, 8)
		}()
	}
	wg.Wait()
	if r.peak > 40 {
		t.Error("too full")
	}
}
