package main

import (
	"fmt"
	"sync"
)

func main() {
	c := newCounts(2)
	var agents sync.WaitGroup
	for a := 0; a < 3; a++ {
		agents.Add(1)
		go func() {
			defer agents.Done()
			for i := 0; i < 30; i++ {
				c.add(fmt.Sprintf("host-%d", i%5), 1)
			}
		}()
	}
	agents.Wait()
	fmt.Println("stripes:", len(c.stripes))
}
