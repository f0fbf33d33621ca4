package main

import (
	"fmt"
	"time"
)

func main() {
	w := Watch("cfg.internal:2379")
	for i := 0; i < 3; i++ {
		fmt.Println("revision", <-w.events > 0)
	}
	w.Close()
	time.Sleep(2 * time.Millisecond)
}
