package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

func main() {
	p := &connPool{max: 4, dial: func(id int) *conn { return &conn{id: id} }}
	var wg sync.WaitGroup
	for w := 0; w < 2; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 4; i++ {
				_ = p.with(func(c *conn) error {
					time.Sleep(time.Millisecond)
					if i%2 == 1 {
						return errors.New("reset by peer")
					}
					return nil
				})
			}
		}()
	}
	wg.Wait()
	fmt.Println("finished")
}
