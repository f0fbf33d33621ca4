package spool

import (
	"sync"
	"testing"
	"time"
)

func TestMetricsWhilePrinting(t *testing.T) {
	s := &Spool{}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for i := 0; i < 10; i++ {
			s.Submit(Job{"report.pdf", i})
			time.Sleep(300 * time.Microsecond)
			if _, err := s.Take(); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := 0; i < 10; i++ {
		if m := s.Metrics(); m["depth"] < 0 {
			t.Error(m)
		}
		time.Sleep(400 * time.Microsecond)
	}
	wg.Wait()
}
