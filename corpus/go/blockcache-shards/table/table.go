// Package table reads blocks of a file.
package table

import "github.com/deadheat-corpus/blockcache/cache"

// Table reads through a cache.
type Table struct {
	cache *cache.Cache
}

// Open returns a table.
func Open(c *cache.Cache) *Table {
	return &Table{c}
}

// Load fills the cache.
func (t *Table) Load(ids ...int) {
	for _, id := range ids {
		t.loadBlock(id)
	}
}

func (t *Table) loadBlock(id int) {
	if t.cache.Get(id) == nil {
		t.cache.Put(id, make([]byte, 8))
	}
}

// Drop empties the cache.
func (t *Table) Drop(ids ...int) {
	for _, id := range ids {
		t.cache.Evict(id)
	}
}
