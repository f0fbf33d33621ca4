// Package drain delivers messages and can be drained.
package drain

import (
	"sync"
	"time"
)

// Message is what a subscriber gets.
type Message struct {
	ID   int
	Body string
}

// Subscriber handles messages one goroutine each.
type Subscriber struct {
	handle   func(Message)
	inflight sync.WaitGroup
}

// Subscribe makes a subscriber.
func Subscribe(handle func(Message)) *Subscriber { return &Subscriber{handle: handle} }

// Deliver hands a message over and returns at once.
func (s *Subscriber) Deliver(m Message) {
	go func() {
		s.inflight.Add(1) //race:Subscriber.inflight
		defer s.inflight.Done()
		s.handle(m)
	}()
}

// Drain returns when no message is being handled, or after a limit.
func (s *Subscriber) Drain(limit time.Duration) bool {
	empty := make(chan struct{})
	go func() {
		s.inflight.Wait() //race:Subscriber.inflight
		close(empty)
	}()
	select {
	case <-empty:
		return true
	case <-time.After(limit):
		return false
	}
}
