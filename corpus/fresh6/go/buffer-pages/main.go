package main

import (
	"fmt"
	"time"
)

func readPage(no int) *page {
	time.Sleep(100 * time.Microsecond)
	return &page{no: no}
}

func statusLoop(c *pageCache, every time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(every):
			if r := c.ratio(); r > 1 {
				fmt.Println("impossible ratio", r)
			}
		}
	}
}

func main() {
	c := newPageCache(4)
	stop := make(chan struct{})
	go statusLoop(c, time.Millisecond, stop)
	for i := 0; i < 40; i++ {
		c.fetch(i%6, readPage)
		c.fetch(i%6, readPage)
	}
	close(stop)
	fmt.Println("read")
}
