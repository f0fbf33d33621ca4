package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

func main() {
	c := &circuit{name: "billing", threshold: 50}
	unreachable := invoker(func(int) error {
		time.Sleep(time.Millisecond)
		return errors.New("connection refused")
	})
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = unreachable.invoke(c, 4)
		}()
	}
	wg.Wait()
	fmt.Println("done with", c.name)
}
