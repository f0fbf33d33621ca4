package ttl

import (
	"testing"
	"time"
)

func TestSweepKeepsWhatIsUsed(t *testing.T) {
	c := New[string, int]()
	c.Set("hot", 1)
	c.Set("cold", 2)

	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				c.Get("hot")
				time.Sleep(100 * time.Microsecond)
			}
		}
	}()

	gone := 0
	for i := 0; i < 20; i++ {
		time.Sleep(time.Millisecond)
		gone += c.Sweep(10 * time.Millisecond)
	}
	close(stop)
	if gone != 1 {
		t.Fatalf("dropped %d entries", gone)
	}
}
