// Package flags switches features on and off.
package flags

type table[K comparable, V any] map[K]V

func (t table[K, V]) put(key K, value V) {
	t[key] = value
}

func (t table[K, V]) get(key K) (V, bool) {
	value, ok := t[key]
	return value, ok
}
