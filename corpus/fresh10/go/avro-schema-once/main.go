package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	subject := &subject[order]{name: "orders-value", registry: remote{}}
	var producers sync.WaitGroup
	for i := 0; i < 3; i++ {
		producers.Add(1)
		go func() {
			defer producers.Done()
			time.Sleep(time.Duration(i) * 700 * time.Microsecond)
			for n := 0; n < 10; n++ {
				subject.encode(order{n, "EUR"})
				time.Sleep(100 * time.Microsecond)
			}
		}()
	}
	producers.Wait()
	fmt.Println("done")
}
