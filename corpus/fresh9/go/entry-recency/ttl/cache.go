package ttl

import (
	"sync"
	"time"
)

type entry[V any] struct {
	value  V
	used   time.Duration
	weight int
}

// Cache keeps values by key and forgets those not used for a while.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*entry[V]
	start   time.Time
}

// New makes an empty cache.
func New[K comparable, V any]() *Cache[K, V] {
	return &Cache[K, V]{entries: map[K]*entry[V]{}, start: time.Now()}
}

// Set stores a value.
func (c *Cache[K, V]) Set(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[k] = &entry[V]{value: v, used: time.Since(c.start)}
}

// Get finds a value.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	c.mu.Lock()
	e, ok := c.entries[k]
	c.mu.Unlock()
	if !ok {
		var zero V
		return zero, false
	}
	e.used = time.Since(c.start) //race:entry.used
	return e.value, true
}

// Sweep drops what was not used for longer than idle.
func (c *Cache[K, V]) Sweep(idle time.Duration) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, gone := time.Since(c.start), 0
	for k, e := range c.entries {
		if now-e.used > idle { //race:entry.used
			delete(c.entries, k)
			gone++
		}
	}
	return gone
}
