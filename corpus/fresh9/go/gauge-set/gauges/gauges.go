package gauges

import "sync"

// Registry holds gauges by name.
type Registry struct {
	mtx    sync.Mutex
	values map[string]float64
}

// NewRegistry makes an empty registry.
func NewRegistry() Registry {
	return Registry{values: make(map[string]float64)}
}

// Set stores a gauge.
func (r *Registry) Set(name string, v float64) {
	r.mtx.Lock()
	r.values[name] = v //race:Registry.values[]
	r.mtx.Unlock()
}

// Len is the number of gauges.
func (r *Registry) Len() int {
	r.mtx.Lock()
	defer r.mtx.Unlock()
	return len(r.values)
}
