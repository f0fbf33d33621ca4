package geo

import (
	"sync"
	"testing"
	"time"
)

func TestCountryConcurrent(t *testing.T) {
	r := &Resolver{Path: "testdata/geo.db"}
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 700 * time.Microsecond)
			name, err := r.Country("10.1.2.3")
			if err != nil || name != "internal" {
				t.Errorf("Country: %q, %v", name, err)
			}
		}(i)
	}
	wg.Wait()
}
