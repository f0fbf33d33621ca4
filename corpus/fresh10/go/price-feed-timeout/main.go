package main

import (
	"fmt"
	"time"
)

func main() {
	b := &board{
		sources:  []source{exchange("north", time.Millisecond), exchange("south", 8*time.Millisecond)},
		deadline: 3 * time.Millisecond,
	}
	q := b.snapshot("WHEAT")
	time.Sleep(6 * time.Millisecond)
	fmt.Println("sum is positive:", q.total() > 0)
	time.Sleep(5 * time.Millisecond)
}
