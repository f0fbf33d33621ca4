package main

import (
	"fmt"
	"time"
)

type clientConn struct {
	acks chan uint64
}

func (cc *clientConn) readAcks(c *consumer, done chan<- int) {
	n := 0
	for {
		select {
		case seq := <-cc.acks:
			c.ack(seq)
			n++
		case <-c.quit:
			done <- n
			return
		}
	}
}

func main() {
	s := &stream{}
	for i := 0; i < 12; i++ {
		s.append("orders.created")
	}
	cc := &clientConn{acks: make(chan uint64, 128)}
	c := newConsumer("billing", s, func(c *consumer, seq uint64) {
		select {
		case cc.acks <- seq:
		default:
		}
	})
	done := make(chan int)
	go cc.readAcks(c, done)
	go c.loop(300 * time.Microsecond)
	time.Sleep(5 * time.Millisecond)
	close(c.quit)
	fmt.Println("acked some:", <-done > 0)
}
