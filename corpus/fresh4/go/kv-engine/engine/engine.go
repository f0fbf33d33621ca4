// Package engine is a store of keys and values that lives in memory.
package engine

// Engine spreads keys over shards.
type Engine struct {
	shards [4]shard
}

func (e *Engine) of(key string) *shard {
	return &e.shards[len(key)%len(e.shards)]
}

// Put stores a value.
func (e *Engine) Put(key, val string) {
	s := e.of(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, _ := s.probe(key); at >= 0 {
		s.cells[at] = cell{key, val, true}
	}
}

// Get finds a value.
func (e *Engine) Get(key string) (val string, ok bool) {
	s := e.of(key)
	s.mu.RLock()
	defer s.mu.RUnlock()
	at, ok := s.probe(key)
	if !ok {
		return "", false
	}
	return s.cells[at].val, true
}
