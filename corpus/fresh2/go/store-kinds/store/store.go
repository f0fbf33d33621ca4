// Package store keeps values by key.
package store

// Key is what values are found by.
type Key interface {
	~string | ~int64
}

// Store never changes after it was filled.
type Store[K Key, V any] struct {
	values map[K]V
	hits   int
}

// Of returns a store with these values.
func Of[K Key, V any](values map[K]V) *Store[K, V] {
	return &Store[K, V]{values: values}
}

// Lookup finds a value.
func (s *Store[K, V]) Lookup(key K) (V, bool) {
	value, ok := s.values[key]
	if ok {
		s.hits++
	}
	return value, ok
}
