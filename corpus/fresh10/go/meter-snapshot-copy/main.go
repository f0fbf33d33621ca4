package main

import (
	"fmt"
	"time"
)

func main() {
	m := &meter{id: "hall-2"}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for i := 0; i < 30; i++ {
			m.add(reading{watts: 40 + i%3, at: time.Now()})
			time.Sleep(50 * time.Microsecond)
		}
	}()
	for i := 0; i < 10; i++ {
		_ = describe(m)
		time.Sleep(120 * time.Microsecond)
	}
	<-finished
	fmt.Println("meter", m.id)
}
