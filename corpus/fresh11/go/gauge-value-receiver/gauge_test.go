package gauge

import (
	"sync"
	"testing"
)

func TestAddFromManySides(t *testing.T) {
	g := New()
	var wg sync.WaitGroup
	for _, n := range []int64{3, -1, 5, -2} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 20; i++ {
				g.Add(n)
			}
		}()
	}
	wg.Wait()
	t.Log("value", g.Value())
}
