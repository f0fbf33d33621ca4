package main

import (
	"container/list"
	"sync"
)

type page struct {
	no   int
	data [16]byte
}

type pageCache struct {
	sync.Mutex
	max    int
	order  *list.List
	byNo   map[int]*list.Element
	hits   int
	misses int
}

func newPageCache(max int) *pageCache {
	return &pageCache{max: max, order: list.New(), byNo: make(map[int]*list.Element)}
}

// fetch returns a page and reads it from disk if it is not here.
func (c *pageCache) fetch(no int, read func(int) *page) *page {
	c.Lock()
	defer c.Unlock()
	if el, ok := c.byNo[no]; ok {
		c.hits++ //race:pageCache.hits
		c.order.MoveToFront(el)
		return el.Value.(*page)
	}
	c.misses++ //race:pageCache.misses
	p := read(no)
	c.byNo[no] = c.order.PushFront(p)
	c.evict()
	return p
}

func (c *pageCache) evict() {
	for c.order.Len() > c.max {
		last := c.order.Back()
		delete(c.byNo, last.Value.(*page).no)
		c.order.Remove(last)
	}
}

func (c *pageCache) ratio() float64 {
	hits := c.hits     //race:pageCache.hits
	misses := c.misses //race:pageCache.misses
	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)
}
