package main

import (
	"fmt"
	"time"
)

type write struct {
	key, value string
}

// coalescer gathers small writes into a large one.
type coalescer struct {
	in      chan write
	pending []write
	limit   int
	batches int
}

func newCoalescer(limit int) *coalescer {
	c := &coalescer{in: make(chan write), limit: limit}
	go c.loop()
	return c
}

func (c *coalescer) loop() {
	for w := range c.in {
		c.pending = append(c.pending, w) //race:coalescer.pending
		if len(c.pending) >= c.limit {
			c.batches++
			c.pending = c.pending[:0] //race:coalescer.pending
		}
		time.Sleep(50 * time.Microsecond)
	}
}

func (c *coalescer) put(key, value string) {
	c.in <- write{key, value}
}

// Stop drops what has not been written.
func (c *coalescer) Stop() int {
	close(c.in)
	dropped := len(c.pending) //race:coalescer.pending
	c.pending = nil           //race:coalescer.pending
	return dropped
}

func main() {
	c := newCoalescer(4)
	for i := 0; i < 10; i++ {
		c.put(fmt.Sprint("k", i), "v")
	}
	time.Sleep(500 * time.Microsecond)
	dropped := c.Stop()
	fmt.Println("dropped", dropped >= 0)
}
