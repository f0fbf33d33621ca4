package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/eventoutbox/outbox"
)

func main() {
	box := outbox.New()
	for h := 0; h < 2; h++ {
		h := h
		go func() {
			for i := 0; i < 8; i++ {
				box.Put(outbox.Event{ID: h*100 + i, Topic: "orders"})
				time.Sleep(time.Millisecond)
			}
		}()
	}
	taken := 0
	for i := 0; i < 5; i++ {
		time.Sleep(2 * time.Millisecond)
		taken += len(box.Take())
	}
	time.Sleep(5 * time.Millisecond)
	fmt.Println("taken", taken >= 0)
}
