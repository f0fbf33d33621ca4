package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	c := NewCatalog(slowSource{})
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func(start time.Duration) {
			defer wg.Done()
			time.Sleep(start)
			if _, err := c.Price("A1"); err != nil {
				fmt.Println(err)
			}
		}(time.Duration(i) * 3 * time.Millisecond)
	}
	wg.Wait()
	fmt.Println("priced")
}
