// Command flusher waits for its writers again and again.
package main

import (
	"sync"
	"time"
)

func writer(wg *sync.WaitGroup, end time.Time) {
	for time.Now().Before(end) {
		for i := 0; i < 1000; i++ {
			wg.Add(1) //race:wg
			wg.Done() //race:wg
		}
	}
}

func waiter(wg *sync.WaitGroup, end time.Time) {
	for time.Now().Before(end) {
		wg.Wait() //race:wg
	}
}

func main() {
	var wg sync.WaitGroup
	end := time.Now().Add(10 * time.Second)
	for i := 0; i < 3; i++ {
		go writer(&wg, end)
		go waiter(&wg, end)
	}
	time.Sleep(10 * time.Second)
}
