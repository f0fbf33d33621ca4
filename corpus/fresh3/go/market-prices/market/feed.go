// Package market watches prices.
package market

import (
	"sync"
	"time"
)

// Quote is what a stall asks.
type Quote struct {
	Fruit string
	Cents int
}

// Feed calls back for each quote, from a goroutine of its own.
type Feed struct {
	quotes []Quote
	every  time.Duration
	closed sync.WaitGroup
}

// NewFeed returns a feed that plays quotes.
func NewFeed(every time.Duration, quotes ...Quote) *Feed {
	return &Feed{quotes: quotes, every: every}
}

// Each subscribes to one fruit.
func (f *Feed) Each(fruit string, call func(Quote)) {
	f.closed.Add(1)
	go func() {
		defer f.closed.Done()
		for _, q := range f.quotes {
			if q.Fruit == fruit {
				call(q)
			}
			time.Sleep(f.every)
		}
	}()
}

// Wait waits for the end of the feed.
func (f *Feed) Wait() {
	f.closed.Wait()
}
