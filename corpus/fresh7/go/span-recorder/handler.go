package main

import (
	"fmt"
	"sync"
	"time"
)

type backend struct {
	name    string
	latency time.Duration
}

func (b backend) call(sp *span, key string) {
	sp.addEvent(b.name+".start", map[string]string{"key": key})
	time.Sleep(b.latency)
	sp.addLink("t-"+key, b.name)
}

func handle(backends []backend, key string) *span {
	sp := startSpan("GET /items")
	var wg sync.WaitGroup
	wg.Add(len(backends))
	for _, b := range backends {
		go func(b backend) {
			defer wg.Done()
			b.call(sp, key)
		}(b)
	}
	wg.Wait()
	sp.finish()
	return sp
}

func main() {
	sp := handle([]backend{
		{name: "stock", latency: 2 * time.Millisecond},
		{name: "price", latency: 2 * time.Millisecond},
	}, "sku-1")
	fmt.Println(sp.name)
}
