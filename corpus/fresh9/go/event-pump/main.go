package main

import (
	"fmt"
	"sync/atomic"

	"example.com/ui/events/events"
)

func clicks(n int) <-chan events.Event {
	ch := make(chan events.Event, n)
	for i := 0; i < n; i++ {
		ch <- events.Event{Kind: "click", X: i, Y: i * 2}
	}
	close(ch)
	return ch
}

func main() {
	var seen int32
	p := events.New(clicks(5), events.WithHandler(func(events.Event) {
		atomic.AddInt32(&seen, 1)
	}))
	p.Wait()
	fmt.Println("handled at most 5:", atomic.LoadInt32(&seen) <= 5)
}
