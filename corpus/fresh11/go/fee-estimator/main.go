// Command fees tells what a payment should offer.
package main

import (
	"fmt"
	"time"
)

func chain(e *Estimator, blocks int) <-chan struct{} {
	synced := make(chan struct{})
	go func() {
		defer close(synced)
		for height := 1; height <= blocks; height++ {
			e.Block([]int{height, height * 9, 20 + height})
			time.Sleep(400 * time.Microsecond)
		}
	}()
	return synced
}

func main() {
	e := &Estimator{low: 5, high: 50}
	synced := chain(e, 12)
	for urgency := 0; urgency <= 100; urgency += 25 {
		fmt.Println(urgency, e.Quote(urgency) >= 0)
		time.Sleep(time.Millisecond)
	}
	<-synced
}
