package main

import (
	"fmt"
	"time"
)

func receive(m *membership, beats <-chan string) {
	for id := range beats {
		m.onBeat(id)
	}
}

func main() {
	m := newMembership("a", "b")
	beats := make(chan string)
	go receive(m, beats)
	go func() {
		for i := 0; i < 10; i++ {
			beats <- "a"
			time.Sleep(500 * time.Microsecond)
		}
	}()
	for i := 0; i < 5; i++ {
		time.Sleep(time.Millisecond)
		m.sweep(time.Second)
	}
	fmt.Println("swept")
}
