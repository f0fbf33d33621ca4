package main

import (
	"sync"
	"time"
)

type item[V any] struct {
	value   V
	expires time.Time
}

// Cache keeps values for a while.
type Cache[K comparable, V any] struct {
	ttl      time.Duration
	sweeping bool

	mu    sync.RWMutex
	items map[K]item[V]
}

func NewCache[K comparable, V any](ttl time.Duration) *Cache[K, V] {
	return &Cache[K, V]{ttl: ttl, items: make(map[K]item[V])}
}

func (c *Cache[K, V]) Set(key K, value V) {
	if !c.sweeping { //race:Cache.sweeping
		c.sweeping = true //race:Cache.sweeping
		go c.sweep(c.ttl)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[key] = item[V]{value: value, expires: time.Now().Add(c.ttl)}
}

func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	it, ok := c.items[key]
	return it.value, ok && time.Now().Before(it.expires)
}

func (c *Cache[K, V]) sweep(every time.Duration) {
	for {
		time.Sleep(every)
		now := time.Now()
		c.mu.Lock()
		for k, it := range c.items {
			if now.After(it.expires) {
				delete(c.items, k)
			}
		}
		c.mu.Unlock()
	}
}
