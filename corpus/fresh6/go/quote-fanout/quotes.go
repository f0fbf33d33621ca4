package main

import (
	"sync"
	"time"
)

type parcel struct {
	grams int
	to    string
}

type carrier struct {
	name    string
	base    int
	latency time.Duration
}

func (c carrier) rate(p parcel) int {
	time.Sleep(c.latency)
	return c.base + p.grams/10
}

type bestQuote struct {
	price map[string]int
}

type quotes struct {
	carriers []carrier
	limit    time.Duration
}

// Best asks all carriers and takes what has come when the limit is reached.
func (q *quotes) Best(p parcel) *bestQuote {
	best := &bestQuote{price: make(map[string]int)}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, c := range q.carriers {
		wg.Add(1)
		go func(c carrier) {
			defer wg.Done()
			cents := c.rate(p)
			mu.Lock()
			defer mu.Unlock()
			best.price[c.name] = cents //race:bestQuote.price[]
		}(c)
	}
	all := make(chan struct{})
	go func() {
		wg.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(q.limit):
	}
	return best
}
