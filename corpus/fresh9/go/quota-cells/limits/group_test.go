package limits

import (
	"testing"
	"time"
)

func TestOverrideWhileServing(t *testing.T) {
	g := NewGroup(100, 10)
	done := make(chan int)
	go func() {
		allowed := 0
		for i := 0; i < 40; i++ {
			if g.Allow("acme") {
				allowed++
			}
			time.Sleep(200 * time.Microsecond)
		}
		done <- allowed
	}()
	for _, rate := range []float64{50, 500, -1, 5} {
		time.Sleep(2 * time.Millisecond)
		g.Override("acme", rate)
	}
	if n := <-done; n == 0 {
		t.Fatal("nothing was allowed")
	}
}
