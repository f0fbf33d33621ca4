// Package book matches orders.
package book

import "sync"

type side struct {
	mu     sync.Mutex
	orders []int
}

// Book has both sides of a market.
type Book struct {
	bids, asks side
	last       int
}

// Buy takes the cheapest ask or waits as a bid.
func (b *Book) Buy(price int) bool {
	b.asks.mu.Lock()
	for i, ask := range b.asks.orders {
		if ask <= price {
			b.asks.orders = append(b.asks.orders[:i:i], b.asks.orders[i+1:]...)
			b.last = ask //race:Book.last
			b.asks.mu.Unlock()
			return true
		}
	}
	b.asks.mu.Unlock()
	b.bids.mu.Lock()
	defer b.bids.mu.Unlock()
	b.bids.orders = append(b.bids.orders, price)
	return false
}

// Sell takes the best bid or waits as an ask.
func (b *Book) Sell(price int) bool {
	b.bids.mu.Lock()
	for i, bid := range b.bids.orders {
		if bid >= price {
			b.bids.orders = append(b.bids.orders[:i:i], b.bids.orders[i+1:]...)
			b.last = bid //race:Book.last
			b.bids.mu.Unlock()
			return true
		}
	}
	b.bids.mu.Unlock()
	b.asks.mu.Lock()
	defer b.asks.mu.Unlock()
	b.asks.orders = append(b.asks.orders, price)
	return false
}
