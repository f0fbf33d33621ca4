package main

import (
	"fmt"
	"time"
)

func produce(t *topic, n int, done chan<- int) {
	total := 0
	for i := 0; i < n; i++ {
		total += t.publish(message{key: "k", payload: []byte("v")})
		time.Sleep(500 * time.Microsecond)
	}
	done <- total
}

func consumer(t *topic, name string) {
	s := t.subscribe(name, 8)
	defer t.cancel(s)
	for i := 0; i < 2; i++ {
		<-s.inbox
	}
}

func main() {
	t := &topic{name: "orders"}
	done := make(chan int)
	go produce(t, 12, done)
	go consumer(t, "mail")
	time.Sleep(time.Millisecond)
	go consumer(t, "audit")
	fmt.Println("sent:", <-done > 0)
}
