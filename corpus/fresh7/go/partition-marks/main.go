package main

import (
	"fmt"
	"time"
)

func main() {
	c := &consumer{
		parts:   map[int32]*partition{0: {id: 0}, 1: {id: 1}},
		results: make(chan fetchResult),
		stopped: make(chan struct{}),
	}
	seen := make(chan int64, 100)
	go c.poll()
	go c.watchLag(time.Millisecond, seen)
	for i := 1; i <= 8; i++ {
		c.results <- fetchResult{partition: int32(i % 2), records: 5, high: int64(i * 10)}
		time.Sleep(1500 * time.Microsecond)
	}
	close(c.results)
	n := 0
	for range seen {
		n++
	}
	fmt.Println("seen:", n > 0)
}
