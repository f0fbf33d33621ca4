package main

import (
	"fmt"
	"time"
)

type sample struct {
	sent, received, remote int64
}

// clock follows the time of a server.
type clock struct {
	server string
	offset int64
	trip   int64
	quit   chan struct{}
	gone   chan struct{}
}

func follow(server string, samples []sample) *clock {
	c := &clock{server: server, quit: make(chan struct{}), gone: make(chan struct{})}
	go c.sync(samples)
	return c
}

func (c *clock) sync(samples []sample) {
	defer close(c.gone)
	for i := 0; ; i++ {
		select {
		case <-c.quit:
			return
		case <-time.After(200 * time.Microsecond):
			c.adjust(samples[i%len(samples)])
		}
	}
}

func (c *clock) adjust(s sample) {
	c.offset = s.remote - (s.sent+s.received)/2 //race:clock.offset
	c.trip = s.received - s.sent                //race:clock.trip
}

func (c *clock) now(local int64) int64 {
	return local + c.offset //race:clock.offset
}

func (c *clock) precision() int64 {
	return c.trip / 2 //race:clock.trip
}

func main() {
	c := follow("ntp.example", []sample{{0, 10, 105}, {20, 40, 130}})
	var sum int64
	for i := int64(0); i < 5; i++ {
		time.Sleep(300 * time.Microsecond)
		sum += c.now(i) + c.precision()
	}
	close(c.quit)
	<-c.gone
	fmt.Println("asked", sum >= 0)
}
