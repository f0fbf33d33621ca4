// Package lsm keeps pairs in memory until there are enough for a file.
package lsm

import (
	"sync"
	"sync/atomic"
)

type table struct {
	bytes int64
	mu    sync.RWMutex
	pairs map[string]string
}

func newTable() *table {
	return &table{pairs: make(map[string]string)}
}

func (t *table) insert(key, value string) {
	t.mu.Lock()
	t.pairs[key] = value
	t.mu.Unlock()
	atomic.AddInt64(&t.bytes, int64(len(key)+len(value))) //race:table.bytes
}

func (t *table) full(limit int64) bool {
	return t.bytes >= limit //race:table.bytes
}

func (t *table) lookup(key string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	value, ok := t.pairs[key]
	return value, ok
}
