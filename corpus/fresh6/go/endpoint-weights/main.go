package main

import (
	"fmt"
	"time"
)

func main() {
	p := newPicker("10.0.0.1", "10.0.0.2", "10.0.0.3")
	reports := make(chan health, 8)
	go p.follow(reports)
	go func() {
		defer close(reports)
		for i := 0; i < 10; i++ {
			reports <- health{addr: p.addrs[i%3], ok: i%2 == 0}
		}
	}()
	hits := map[string]int{}
	for i := 0; i < 15; i++ {
		hits[p.pick()]++
		time.Sleep(150 * time.Microsecond)
	}
	fmt.Println("picked", len(hits) > 0)
}
