// Command rounds reuses one WaitGroup for many rounds.
package main

import (
	"sync"
	"time"
)

func worker(wg *sync.WaitGroup, end time.Time) {
	for time.Now().Before(end) {
		for i := 0; i < 1000; i++ {
			wg.Add(1) //race:wg
			wg.Done()
		}
	}
}

func main() {
	var wg sync.WaitGroup
	end := time.Now().Add(10 * time.Second)
	go worker(&wg, end)
	for time.Now().Before(end) {
		wg.Wait() //race:wg
	}
}
