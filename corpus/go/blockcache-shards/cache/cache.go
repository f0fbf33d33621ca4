// Package cache keeps blocks in shards.
package cache

import "sync"

// Cache spreads blocks over shards.
type Cache struct {
	mu     sync.Mutex
	shards [4]*shard
}

// New returns an empty cache.
func New() *Cache {
	c := &Cache{}
	for i := range c.shards {
		c.shards[i] = &shard{blocks: map[int][]byte{}}
	}
	return c
}

func (c *Cache) shard(id int) *shard {
	return c.shards[id%len(c.shards)]
}

// Put adds a block.
func (c *Cache) Put(id int, block []byte) {
	s := c.shard(id)
	c.insert(s, id, block)
	s.account(len(block))
}

func (c *Cache) insert(s *shard, id int, block []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.blocks[id] = block
}

// Get finds a block.
func (c *Cache) Get(id int) []byte {
	return c.find(c.shard(id), id)
}

func (c *Cache) find(s *shard, id int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.blocks[id]
}

// Evict drops a block.
func (c *Cache) Evict(id int) {
	s := c.shard(id)
	s.account(-8)
}
