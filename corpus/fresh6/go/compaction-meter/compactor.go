package main

import (
	"sync"
	"time"
)

type table struct {
	level int
	bytes int64
}

type compactor struct {
	mu      sync.Mutex
	queue   []table
	pending int64
	stallAt int64
}

func (c *compactor) schedule(t table) {
	c.mu.Lock()
	c.queue = append(c.queue, t)
	c.pending += t.bytes //race:compactor.pending
	c.mu.Unlock()
}

func (c *compactor) next() (table, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return table{}, false
	}
	t := c.queue[0]
	c.queue = c.queue[1:]
	return t, true
}

func (c *compactor) finish(t table) {
	c.mu.Lock()
	c.pending -= t.bytes //race:compactor.pending
	c.mu.Unlock()
}

// overloaded is asked before every write.
func (c *compactor) overloaded() bool {
	return c.pending > c.stallAt //race:compactor.pending
}

func (c *compactor) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		t, ok := c.next()
		if !ok {
			time.Sleep(300 * time.Microsecond)
			continue
		}
		time.Sleep(time.Duration(t.level+1) * 200 * time.Microsecond)
		c.finish(t)
	}
}
