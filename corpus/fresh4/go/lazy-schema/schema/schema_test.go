package schema

import (
	"sync"
	"testing"
	"time"
)

func TestTwoReaders(t *testing.T) {
	s := &Schema{columns: []Column{{"id", "int"}, {"name", "text"}}}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func(wait time.Duration) {
			defer wg.Done()
			time.Sleep(wait)
			if !s.Warm() {
				t.Error("cold")
			}
			time.Sleep(25 * time.Millisecond)
		}(time.Duration(1+9*i) * time.Millisecond)
	}
	wg.Wait()
}
