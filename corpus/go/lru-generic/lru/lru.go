// Package lru is a cache of anything.
package lru

// Cache keeps values by key.
type Cache[K comparable, V any] struct {
	values map[K]V
	hits   int
}

// New returns a cache that holds one value.
func New[K comparable, V any](k K, v V) *Cache[K, V] {
	return &Cache[K, V]{values: map[K]V{k: v}}
}

// Get finds a value and counts the hit.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	v, ok := c.values[k]
	if ok {
		c.touch()
	}
	return v, ok
}

func (c *Cache[K, V]) touch() {
	c.hits++
}

// Hits returns the count.
func Hits[K comparable, V any](c *Cache[K, V]) int {
	return c.hits
}
