package book

import (
	"sync"
	"testing"
)

func TestBothSidesTrade(t *testing.T) {
	b := &Book{}
	for p := 100; p < 120; p++ {
		b.Buy(p)
		b.Sell(p + 50)
	}
	var traders sync.WaitGroup
	traders.Add(2)
	go func() {
		defer traders.Done()
		for i := 0; i < 10; i++ {
			b.Sell(100)
		}
	}()
	go func() {
		defer traders.Done()
		for i := 0; i < 10; i++ {
			b.Buy(200)
		}
	}()
	traders.Wait()
	if b.last == 0 {
		t.Error("no trade")
	}
}
