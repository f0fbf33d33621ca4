package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	r := newRing(2)
	var wg sync.WaitGroup
	wg.Add(2)
	go produce(r, 10, &wg)
	go produce(r, 10, &wg)
	var last ringStats
	for i := 0; i < 3; i++ {
		time.Sleep(time.Millisecond)
		last = r.stats()
	}
	wg.Wait()
	fmt.Println("stats:", last.Written >= 0)
}
