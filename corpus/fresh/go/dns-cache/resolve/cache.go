// Package resolve remembers the addresses of names.
package resolve

import (
	"errors"
	"sync"
	"time"
)

// ErrNotFound is returned for names that nobody knows.
var ErrNotFound = errors.New("resolve: no such name")

type record struct {
	addrs    []string
	until    time.Time
	used     int
	lastUsed time.Time
}

// Upstream knows all names.
type Upstream func(name string) ([]string, time.Duration, error)

// Cache answers from memory where it can.
type Cache struct {
	upstream Upstream
	mu       sync.RWMutex
	records  map[string]*record
}

// NewCache returns an empty cache.
func NewCache(u Upstream) *Cache {
	return &Cache{upstream: u, records: make(map[string]*record)}
}

// Lookup returns the addresses of a name.
func (c *Cache) Lookup(name string) ([]string, error) {
	now := time.Now()
	if addrs, ok := c.cached(name, now); ok {
		return addrs, nil
	}
	addrs, ttl, err := c.upstream(name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records[name] = &record{addrs: addrs, until: now.Add(ttl)}
	return addrs, nil
}

func (c *Cache) cached(name string, now time.Time) ([]string, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r, ok := c.records[name]
	if !ok || now.After(r.until) {
		return nil, false
	}
	r.used++         //race:record.used
	r.lastUsed = now //race:record.lastUsed
	return r.addrs, true
}

// Evict drops the records that were not used since then.
func (c *Cache) Evict(since time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for name, r := range c.records {
		if r.lastUsed.Before(since) {
			delete(c.records, name)
			n++
		}
	}
	return n
}
