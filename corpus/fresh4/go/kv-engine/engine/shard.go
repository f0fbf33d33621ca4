package engine

import "sync"

const slots = 64

type cell struct {
	key, val string
	used     bool
}

type shard struct {
	mu     sync.RWMutex
	cells  [slots]cell
	hot    string
	probes uint64
}

func fnv(key string) (h uint32) {
	h = 2166136261
	for i := 0; i < len(key); i++ {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return h
}

func (s *shard) probe(key string) (at int, ok bool) {
	i := int(fnv(key) % slots)
	for n := 0; n < slots; n++ {
		c := &s.cells[(i+n)%slots]
		if !c.used {
			return (i + n) % slots, false
		}
		if c.key == key {
			s.touch(key, uint64(n))
			return (i + n) % slots, true
		}
	}
	return -1, false
}

func (s *shard) touch(key string, depth uint64) {
	s.hot = key           //race:shard.hot
	s.probes += depth + 1 //race:shard.probes
}
