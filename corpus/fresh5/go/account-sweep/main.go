package main

import (
	"fmt"
	"time"
)

func main() {
	b := openBank(3)
	go b.payIn(1, 8)
	for i := 0; i < 4; i++ {
		time.Sleep(2 * time.Millisecond)
		b.interest(2)
	}
	time.Sleep(15 * time.Millisecond)
	fmt.Println("closed")
}
