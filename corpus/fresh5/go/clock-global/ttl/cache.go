package ttl

import (
	"sync"
	"time"
)

var now = time.Now

type item struct {
	value string
	dies  time.Time
}

// Cache forgets what is too old.
type Cache struct {
	mu    sync.Mutex
	items map[string]item
	done  chan struct{}
}

// NewCache starts a cache and its janitor.
func NewCache(every time.Duration) *Cache {
	c := &Cache{items: map[string]item{}, done: make(chan struct{})}
	go c.janitor(every)
	return c
}

func (c *Cache) janitor(every time.Duration) {
	for {
		select {
		case <-time.After(every):
			c.evict()
		case <-c.done:
			return
		}
	}
}

func (c *Cache) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := now() //race:now
	for key, it := range c.items {
		if it.dies.Before(at) {
			delete(c.items, key)
		}
	}
}

// Close stops the janitor.
func (c *Cache) Close() {
	close(c.done)
}
