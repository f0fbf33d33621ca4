package main

import (
	"fmt"
	"time"
)

func main() {
	l := newLimiter(5, "acme", "globex")
	stop := make(chan struct{})
	go l.run(time.Millisecond, stop)
	passed := 0
	for i := 0; i < 30; i++ {
		if l.allow("acme") {
			passed++
		}
		time.Sleep(200 * time.Microsecond)
	}
	close(stop)
	fmt.Println("passed some:", passed > 0)
}
