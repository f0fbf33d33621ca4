package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/deadheat-corpus/ticketstripes/tickets"
)

func main() {
	office := tickets.NewOffice(tickets.Event{ID: 4, Left: 100})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		for i := 0; i < 6; i++ {
			office.Sell(4, 2)
			time.Sleep(time.Millisecond)
		}
	}()
	go func() {
		defer wg.Done()
		for i := 0; i < 6; i++ {
			office.Refund(4, 71, 1)
			time.Sleep(time.Millisecond)
		}
	}()
	wg.Wait()
	fmt.Println("office closes")
}
