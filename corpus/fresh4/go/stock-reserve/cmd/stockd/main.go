package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/deadheat-corpus/stockreserve/stock"
)

type action func()

func every(pause time.Duration, times int, do action) {
	for i := 0; i < times; i++ {
		time.Sleep(pause)
		do()
	}
}

func main() {
	shelf := new(stock.Shelf)
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		defer both.Done()
		every(4*time.Millisecond, 5, func() { shelf.Receive("truck", 3) })
	}()
	go func() {
		defer both.Done()
		every(7*time.Millisecond, 3, func() { shelf.Order("shop", 1) })
	}()
	both.Wait()
	fmt.Println("closed")
}
