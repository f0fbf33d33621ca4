package main

import (
	"fmt"
	"time"
)

func main() {
	q := &fileQueue{seg: segment{id: 1}, sync: func(int) error { return nil }}
	stop := make(chan struct{})
	popped := make(chan int)
	go func() { popped <- q.drain(stop) }()
	full := 0
	for i := 0; i < 25; i++ {
		if err := q.push(100 * time.Microsecond); err != nil {
			full++
			time.Sleep(time.Millisecond)
		}
	}
	time.Sleep(2 * time.Millisecond)
	close(stop)
	fmt.Println("popped some:", <-popped > 0)
}
