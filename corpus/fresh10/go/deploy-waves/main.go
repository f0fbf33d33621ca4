package main

import (
	"fmt"
	"time"
)

func main() {
	r := &roller{pause: 300 * time.Microsecond}
	waves := [][]string{
		{"edge-1", "edge-2"},
		{"edge-3", "edge-4", "edge-5"},
		{"edge-6"},
		{"edge-7", "edge-8"},
		{"edge-9", "edge-10"},
		{"edge-11"},
	}
	finished := make(chan int)
	go r.monitor(len(waves), finished)
	r.roll(waves)
	fmt.Println("waves seen:", <-finished)
}
