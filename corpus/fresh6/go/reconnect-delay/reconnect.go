// Package stream keeps a subscription to an event stream alive.
package stream

import (
	"errors"
	"time"
)

var baseDelay = 50 * time.Millisecond

var errDropped = errors.New("stream dropped")

type Dialer func() error

type Subscription struct {
	dial     Dialer
	attempts chan int
	closed   chan struct{}
}

func Subscribe(d Dialer) *Subscription {
	s := &Subscription{dial: d, attempts: make(chan int, 128), closed: make(chan struct{})}
	go s.keep()
	return s
}

func delayFor(attempt int) time.Duration {
	if attempt > 4 {
		attempt = 4
	}
	return baseDelay << attempt //race:baseDelay
}

func (s *Subscription) keep() {
	for attempt := 0; ; attempt++ {
		err := s.dial()
		if err == nil {
			attempt = 0
		}
		select {
		case s.attempts <- attempt:
		default:
		}
		select {
		case <-s.closed:
			return
		case <-time.After(delayFor(attempt)):
		}
	}
}

func (s *Subscription) Close() { close(s.closed) }
