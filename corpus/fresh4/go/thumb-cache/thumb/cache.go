// Package thumb keeps small pictures.
package thumb

import "sync"

type entry struct {
	pixels []byte
	seen   int64
}

// Cache keeps pictures by name.
type Cache struct {
	sync.RWMutex
	byName map[string]*entry
	hits   int
	clock  func() int64
}

// NewCache returns a cache that reads the time from clock.
func NewCache(clock func() int64) *Cache {
	return &Cache{byName: map[string]*entry{}, clock: clock}
}

// Keep stores a picture.
func (c *Cache) Keep(name string, pixels []byte) {
	c.Lock()
	defer c.Unlock()
	c.byName[name] = &entry{pixels: pixels}
}

// Get returns a picture.
func (c *Cache) Get(name string) []byte {
	c.RLock()
	defer c.RUnlock()
	e, ok := c.byName[name]
	if !ok {
		return nil
	}
	c.hits++           //race:Cache.hits
	e.seen = c.clock() //race:entry.seen
	return e.pixels
}
