package codec

import (
	"sync"
	"testing"
	"time"
)

func TestRoundTrips(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 3; k++ {
				if !c.Pack(nil) || !c.Unpack(nil) {
					t.Error("no codec")
				}
				time.Sleep(time.Millisecond)
			}
		}()
	}
	wg.Wait()
}
