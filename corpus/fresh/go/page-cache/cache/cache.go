// Package cache keeps pages that were rendered.
package cache

import (
	"container/list"
	"sync"
)

// Page is a rendered page.
type Page struct {
	Path string
	Body []byte
}

// Cache keeps the pages that were used last.
type Cache struct {
	mu     sync.Mutex
	size   int
	order  *list.List
	pages  map[string]*list.Element
	hits   int
	misses int
}

// New returns a cache for so many pages.
func New(size int) *Cache {
	return &Cache{size: size, order: list.New(), pages: make(map[string]*list.Element)}
}

// Get returns a page, if it is there.
func (c *Cache) Get(path string) (*Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.pages[path]
	if !ok {
		c.misses++ //race:Cache.misses
		return nil, false
	}
	c.hits++ //race:Cache.hits
	c.order.MoveToFront(el)
	return el.Value.(*Page), true
}

// Put adds a page and drops the one that was used longest ago.
func (c *Cache) Put(p *Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[p.Path] = c.order.PushFront(p)
	if c.order.Len() > c.size {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.pages, last.Value.(*Page).Path)
	}
}

// HitRate is for the status page.
func (c *Cache) HitRate() float64 {
	hits := c.hits     //race:Cache.hits
	misses := c.misses //race:Cache.misses
	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)
}
