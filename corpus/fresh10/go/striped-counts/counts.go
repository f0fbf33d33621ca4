package main

import (
	"hash/maphash"
	"sync"
)

// stripe is a part of the keys with a lock for them.
type stripe struct {
	at     uint64
	mu     sync.Mutex
	counts map[string]int
}

// counts are spread over stripes, so that writers seldom meet.
type counts struct {
	seed    maphash.Seed
	stripes []stripe
}

func newCounts(n int) *counts {
	c := &counts{seed: maphash.MakeSeed(), stripes: make([]stripe, n)}
	for i := range c.stripes {
		c.stripes[i].at = uint64(i)
		c.stripes[i].counts = map[string]int{}
	}
	return c
}

func (c *counts) slot(key string) uint64 {
	return maphash.String(c.seed, key) % uint64(len(c.stripes))
}

// add counts something for a key.
func (c *counts) add(key string, n int) {
	slot := c.slot(key)
	for _, s := range c.stripes {
		if s.at != slot {
			continue
		}
		s.mu.Lock()
		s.counts[key] += n //race:stripe.counts
		s.mu.Unlock()
		return
	}
}
