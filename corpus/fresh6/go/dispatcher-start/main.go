package main

import (
	"fmt"
	"time"
)

func main() {
	d := newDispatcher(8, withTimeout(50*time.Millisecond))
	time.Sleep(5 * time.Millisecond)
	for i := 0; i < 3; i++ {
		d.submit(task{id: i, run: func() error { return nil }})
	}
	d.close()
	fmt.Println("dispatched")
}
