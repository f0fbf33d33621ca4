package main

import (
	"fmt"
	"time"
)

func main() {
	b := &backfill{source: func(day int) int {
		time.Sleep(6 * time.Millisecond)
		return day * 10
	}}
	b.start(1, 2, 3)
	time.Sleep(2 * time.Millisecond)
	b.wait()
	fmt.Println("backfilled")
}
