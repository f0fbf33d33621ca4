// Package stripe spreads locks over a map.
package stripe

import "sync"

// Map is a map with several locks.
type Map[V any] struct {
	locks [8]sync.Mutex
	data  map[string]V
	bytes int
}

// NewMap returns an empty map.
func NewMap[V any](size int) *Map[V] {
	return &Map[V]{data: make(map[string]V, size)}
}

func (m *Map[V]) lockFor(n int) *sync.Mutex {
	return &m.locks[n%len(m.locks)]
}

// Store sets a value.
func (m *Map[V]) Store(key string, value V) {
	l := m.lockFor(int(key[0]))
	l.Lock()
	defer l.Unlock()
	m.data[key] = value //race:Map.data[]
	m.bytes += len(key) //race:Map.bytes
}

// Evict removes a value.
func (m *Map[V]) Evict(key string) {
	l := m.lockFor(len(key))
	l.Lock()
	defer l.Unlock()
	delete(m.data, key) //race:Map.data[]
	m.bytes -= len(key) //race:Map.bytes
}
