package feed

import (
	"sync/atomic"
	"time"
)

// Journal collects ticks.
type Journal struct {
	ticks int
	last  float64
}

// Subscription polls a feed until it is closed.
type Subscription struct {
	to     *Journal
	closed int32
}

// Subscribe starts to poll.
func Subscribe(to *Journal, every time.Duration) *Subscription {
	s := &Subscription{to: to}
	go s.poll(every)
	return s
}

func (s *Subscription) poll(every time.Duration) {
	price := 100.0
	for atomic.LoadInt32(&s.closed) == 0 {
		price += 0.25
		s.to.last = price //race:Journal.last
		time.Sleep(every)
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	atomic.StoreInt32(&s.closed, 1)
}
