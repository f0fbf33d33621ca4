package stats

import (
	"sync"
	"testing"
)

func TestLookup(t *testing.T) {
	s := &Stats{data: map[string]int{"a": 1}}
	var wg sync.WaitGroup
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go func() {
			defer wg.Done()
			s.Lookup("a")
		}()
	}
	wg.Wait()
}
