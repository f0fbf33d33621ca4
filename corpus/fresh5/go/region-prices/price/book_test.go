package price

import (
	"sync"
	"testing"
	"time"
)

func TestQuoteManyRegions(t *testing.T) {
	b := NewBook(map[string]float64{"team": 10, "solo": 4})
	var wg sync.WaitGroup
	for _, region := range []string{"eu", "us-east", "ap-south"} {
		wg.Add(1)
		go func(region string) {
			defer wg.Done()
			for _, plan := range []string{"team", "solo", "team"} {
				if b.Quote(region, plan) <= 0 {
					t.Error("free of charge")
				}
				time.Sleep(time.Millisecond)
			}
		}(region)
	}
	wg.Wait()
}
