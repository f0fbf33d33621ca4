// Command pricecache answers with prices.
package main

import (
	"sync"
	"time"
)

// Cache keeps prices by article.
type Cache struct {
	mu     sync.Mutex
	prices map[string]int
}

//go:noinline
func (c *Cache) update(sku string, cents int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prices[sku] = cents //race:Cache.prices
}

//go:noinline
func (c *Cache) price(sku string) int {
	return c.prices[sku] //race:Cache.prices
}

func (c *Cache) refresh() {
	for i := 0; ; i++ {
		c.update("tea", i)
	}
}

func main() {
	c := &Cache{prices: map[string]int{"tea": 450}}
	go c.refresh()
	end := time.Now().Add(5 * time.Second)
	for time.Now().Before(end) {
		for i := 0; i < 1000; i++ {
			_ = c.price("mug")
		}
	}
}
