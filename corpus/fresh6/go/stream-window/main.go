package main

import (
	"fmt"
	"time"
)

func main() {
	c := newMuxConn()
	s := c.open(1, 256)
	go c.readLoop()
	go func() {
		for i := 0; i < 40; i++ {
			c.updates <- windowUpdate{stream: 1, delta: 64}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	s.sendAll(1024)
	fmt.Println("sent", s.sent)
}
