package main

import (
	"fmt"
	"time"
)

func main() {
	r := newRanking("Ajax", "Betis", "Celtic", "Dinamo")
	screen := &ticker{of: r, lines: make(chan string, 64)}
	go screen.show(8)
	for round := 0; round < 6; round++ {
		r.played(round%4, round+1)
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println("shown", len(screen.lines) > 0)
}
