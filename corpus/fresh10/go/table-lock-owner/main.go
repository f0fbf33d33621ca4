package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	h := newHouse()
	t := h.open("green", 5)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		for i := 0; i < 25; i++ {
			t.bet(player(i%4), 10)
			time.Sleep(50 * time.Microsecond)
		}
	}()
	go func() {
		defer wg.Done()
		for i := 0; i < 25; i++ {
			h.collectRake("green")
			time.Sleep(50 * time.Microsecond)
		}
	}()
	wg.Wait()
	fmt.Println("hands:", t.bets)
}
