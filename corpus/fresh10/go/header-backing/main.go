package main

import (
	"fmt"
	"sync"
)

func main() {
	c := newClient("warehouse", "eu")
	var wg sync.WaitGroup
	lengths := make(chan int, 8)
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			req := c.request(fmt.Sprintf("/parcels/%d", i), "trace-"+fmt.Sprint(i))
			lengths <- len(req.render())
		}()
	}
	wg.Wait()
	close(lengths)
	for n := range lengths {
		if n == 0 {
			panic("empty request")
		}
	}
	fmt.Println("sent")
}
