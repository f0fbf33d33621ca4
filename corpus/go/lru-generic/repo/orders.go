// Package repo finds users and orders.
package repo

import "github.com/deadheat-corpus/lru/lru"

// Order is what a user bought.
type Order struct {
	Number int
	Cents  int64
}

// Orders finds orders.
type Orders struct {
	cache *lru.Cache[int, Order]
}

// Find finds an order by number.
func (o *Orders) Find(n int) bool {
	_, ok := o.cache.Get(n) //race:orders.hits
	return ok
}

// Rate is the number of hits.
func (o *Orders) Rate() int {
	return lru.Hits(o.cache) //race:orders.hits
}
