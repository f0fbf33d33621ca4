package shardcache

import (
	"sync"
	"sync/atomic"
)

// Cache is split into shards.
type Cache struct {
	warmed atomic.Int64
}

func (c *Cache) warm(id int) {
	c.warmed.Add(int64(id))
}

// WarmUp loads every shard.
func (c *Cache) WarmUp(ids []int) {
	var wg sync.WaitGroup
	for _, id := range ids { //race:id
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.warm(id) //race:id
		}()
	}
	wg.Wait()
}
