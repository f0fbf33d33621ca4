package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	b := newBroker()
	tp := b.topic("audit")
	sub := tp.consume()

	var producers sync.WaitGroup
	producers.Add(1)
	go func() {
		defer producers.Done()
		for i := 0; i < 5; i++ {
			tp.publish(message{id: i, body: "login"})
			time.Sleep(time.Millisecond)
		}
	}()

	time.Sleep(20 * time.Millisecond)
	b.shutdown()
	producers.Wait()
	fmt.Println("consumed", <-sub)
}
