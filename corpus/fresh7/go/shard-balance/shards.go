package main

import (
	"sync"
	"time"
)

type shard struct {
	mu   sync.Mutex
	id   int
	keys map[string][]byte
	size int
}

func (s *shard) put(key string, value []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[key] = value
	s.size += len(key) + len(value) //race:shard.size
}

// shardMap spreads keys over shards.
type shardMap struct {
	mu     sync.Mutex
	shards []*shard
	moves  int
}

func newShardMap(n int) *shardMap {
	m := &shardMap{}
	for i := 0; i < n; i++ {
		m.shards = append(m.shards, &shard{id: i, keys: map[string][]byte{}})
	}
	return m
}

func (m *shardMap) put(key string, value []byte) {
	h := 0
	for _, c := range key {
		h = h*31 + int(c)
	}
	m.shards[h%len(m.shards)].put(key, value)
}

// rebalance moves accounting from the largest to the smallest shard.
func (m *shardMap) rebalance() {
	m.mu.Lock()
	defer m.mu.Unlock()
	lo, hi := m.shards[0], m.shards[0]
	for _, s := range m.shards {
		if s.size < lo.size { //race:shard.size
			lo = s
		}
		if s.size > hi.size { //race:shard.size
			hi = s
		}
	}
	if lo != hi {
		m.moves++
	}
}

func (m *shardMap) balance(every time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(every):
			m.rebalance()
		}
	}
}
