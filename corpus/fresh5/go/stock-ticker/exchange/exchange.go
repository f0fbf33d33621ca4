package exchange

import (
	"sync"
	"time"
)

// Quote is a price at a time.
type Quote struct {
	Symbol string
	Cents  int64
}

// Subscriber gets quotes.
type Subscriber struct {
	C chan Quote
}

// Cancel ends the subscription.
func (s *Subscriber) Cancel() {
	close(s.C) //race:Subscriber.C
}

// Exchange publishes quotes.
type Exchange struct {
	mu   sync.Mutex
	subs []*Subscriber
}

// Subscribe adds a subscriber.
func (e *Exchange) Subscribe(depth int) *Subscriber {
	s := &Subscriber{C: make(chan Quote, depth)}
	e.mu.Lock()
	e.subs = append(e.subs, s)
	e.mu.Unlock()
	return s
}

func (e *Exchange) snapshot() []*Subscriber {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Subscriber(nil), e.subs...)
}

// Publish sends a quote to everybody.
func (e *Exchange) Publish(q Quote) {
	for _, s := range e.snapshot() {
		offer(s, q)
	}
}

func offer(s *Subscriber, q Quote) {
	defer func() { _ = recover() }()
	if len(s.C) == cap(s.C) {
		return
	}
	s.C <- q //race:Subscriber.C
}

// Trade publishes for a while.
func (e *Exchange) Trade(symbol string, times int) {
	for i := 0; i < times; i++ {
		e.Publish(Quote{symbol, int64(10000 + i)})
		time.Sleep(time.Millisecond)
	}
}
