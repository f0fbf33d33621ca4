package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

type notification struct {
	user string
	text string
}

// dispatcher sends notifications in the background.
type dispatcher struct {
	queue  chan notification
	closed int32
	sent   int64
}

func newDispatcher(depth int) *dispatcher {
	d := &dispatcher{queue: make(chan notification, depth)}
	go d.loop()
	return d
}

func (d *dispatcher) loop() {
	for range d.queue {
		atomic.AddInt64(&d.sent, 1)
	}
}

// Notify queues a notification unless the dispatcher is closed.
func (d *dispatcher) Notify(n notification) bool {
	if atomic.LoadInt32(&d.closed) == 1 {
		return false
	}
	d.queue <- n //race:dispatcher.queue
	return true
}

// Close ends the dispatcher.
func (d *dispatcher) Close() {
	atomic.StoreInt32(&d.closed, 1)
	close(d.queue) //race:dispatcher.queue
}

func campaign(d *dispatcher, users []string) (n int) {
	for _, u := range users {
		if d.Notify(notification{user: u, text: "sale"}) {
			n++
		}
		time.Sleep(time.Millisecond)
	}
	return n
}

func main() {
	d := newDispatcher(64)
	go campaign(d, []string{"ada", "ben", "cleo"})
	time.Sleep(6 * time.Millisecond)
	d.Close()
	fmt.Println("closed")
}
