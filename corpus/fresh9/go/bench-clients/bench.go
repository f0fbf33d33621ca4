package bench

import (
	"sync"
	"time"
)

// Target is called by clients.
type Target func(client, call int) time.Duration

// Result of one client.
type Result struct {
	Calls int
	Total time.Duration
}

// Run starts n clients that make the given number of calls each.
func Run(n, calls int, target Target) map[int]Result {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		out = make(map[int]Result, n)
	)
	for client := 0; client < n; client++ { //race:client
		wg.Add(1)
		go func() {
			defer wg.Done()
			var r Result
			for c := 0; c < calls; c++ {
				r.Total += target(client, c) //race:client
				r.Calls++
			}
			mu.Lock()
			out[client] = r //race:client
			mu.Unlock()
		}()
	}
	wg.Wait()
	return out
}
