package main

import (
	"fmt"
	"sync"
	"time"
)

func exchange(a, b *state) {
	reply := b.merge(a.snapshot())
	a.merge(reply)
}

func main() {
	hub := newState("hub")
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		peer := newState(fmt.Sprintf("peer-%d", i))
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 4; n++ {
				peer.bump()
				exchange(peer, hub)
				time.Sleep(300 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	fmt.Println("known", len(hub.snapshot()))
}
