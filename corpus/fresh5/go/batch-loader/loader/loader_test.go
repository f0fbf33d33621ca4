package loader

import (
	"sync"
	"testing"
	"time"
)

func TestPrimeFromResolvers(t *testing.T) {
	l := New(func([]int) map[int]string { return nil }, 2*time.Millisecond)
	var wg sync.WaitGroup
	for r := 0; r < 3; r++ {
		wg.Add(1)
		go func(r int) {
			defer wg.Done()
			for k := 0; k < 5; k++ {
				l.Prime(r*10 + k)
				time.Sleep(time.Millisecond)
			}
		}(r)
	}
	wg.Wait()
	time.Sleep(6 * time.Millisecond)
	if len(l.batches) == 0 {
		t.Error("nothing dispatched")
	}
}
