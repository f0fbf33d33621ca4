package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/cachestats/cache"
)

func main() {
	c := cache.New()
	for w := 0; w < 2; w++ {
		go func() {
			for i := 0; i < 10; i++ {
				c.Get("sku", func() string { return "teapot" })
				time.Sleep(time.Millisecond)
			}
		}()
	}
	time.Sleep(5 * time.Millisecond)
	c.Reset()
	time.Sleep(12 * time.Millisecond)
	fmt.Println("done")
}
