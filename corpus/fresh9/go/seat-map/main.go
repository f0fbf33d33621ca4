package main

import (
	"fmt"
	"sync"
	"time"

	"example.com/tickets/seats/seats"
)

func book(h *seats.Hall, n int) int {
	got := 0
	for i := 0; i < n; i++ {
		if h.Reserve("balcony", 2) {
			got++
		}
		time.Sleep(100 * time.Microsecond)
	}
	return got
}

func expire(h *seats.Hall, n int) {
	for i := 0; i < n; i++ {
		h.Release("balcony", 1)
		time.Sleep(150 * time.Microsecond)
	}
}

func main() {
	h := seats.NewHall(40, "floor", "balcony")
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); book(h, 15) }()
	go func() { defer wg.Done(); expire(h, 15) }()
	wg.Wait()
	fmt.Println("sold")
}
