package main

import (
	"errors"
	"fmt"
	"time"
)

func main() {
	b := newBoard()
	go b.work()
	for i := 0; i < 3; i++ {
		i := i
		b.submit(i, func() error {
			time.Sleep(time.Millisecond)
			if i == 1 {
				return errors.New("exit status 1")
			}
			return nil
		})
	}
	fmt.Println("rows:", b.page(time.Millisecond, 4))
	close(b.queue)
	time.Sleep(5 * time.Millisecond)
}
