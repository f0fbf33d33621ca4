package cache

import (
	"sync"
	"sync/atomic"
)

type stats struct {
	misses uint64
	since  int64
}

func (s *stats) miss() {
	atomic.AddUint64(&s.misses, 1) //race:stats.misses
}

// Cache loads what it does not have.
type Cache struct {
	mu    sync.Mutex
	data  map[string]string
	stats stats
}

// New makes an empty cache.
func New() *Cache {
	return &Cache{data: make(map[string]string)}
}

// Get returns a value, loading it if need be.
func (c *Cache) Get(key string, load func() string) string {
	c.stats.miss()
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.data[key]
	if !ok {
		v = load()
		c.data[key] = v
	}
	return v
}

// Reset empties the cache and starts to count anew.
func (c *Cache) Reset() {
	c.stats = stats{} //race:stats.misses
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data = make(map[string]string)
}
