package main

import (
	"fmt"
	"sync"
	"time"

	"example.com/svc/tracing/tracing"
)

type handler struct {
	name  string
	trace *tracing.Client
}

func (h handler) handle(n int) time.Duration {
	var sum time.Duration
	for i := 0; i < n; i++ {
		span := h.trace.Tracer().Start(h.name)
		sum += span.End()
	}
	return sum
}

func main() {
	client := &tracing.Client{Service: "checkout"}
	handlers := []handler{{"cart", client}, {"pay", client}, {"ship", client}}
	var wg sync.WaitGroup
	wg.Add(len(handlers))
	for i := range handlers {
		h := handlers[i]
		go func() {
			defer wg.Done()
			h.handle(3)
		}()
	}
	wg.Wait()
	fmt.Println("traced")
}
