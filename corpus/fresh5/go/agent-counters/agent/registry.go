package agent

import (
	"sort"
	"sync"
)

type counter struct {
	name  string
	value uint64
}

// Registry has the counters of one host.
type Registry struct {
	mu   sync.RWMutex
	byID []*counter
}

// Register makes a counter and returns its number.
func (r *Registry) Register(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID = append(r.byID, &counter{name: name})
	return len(r.byID) - 1
}

// Bump adds to a counter. The set of counters does not change, so a read lock will do.
func (r *Registry) Bump(id int, by uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	r.byID[id].value += by //race:counter.value
}

// Busiest names the counter with the highest value.
func (r *Registry) Busiest() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	order := append([]*counter(nil), r.byID...)
	sort.Slice(order, func(i, j int) bool {
		return order[i].value > order[j].value //race:counter.value
	})
	if len(order) == 0 {
		return ""
	}
	return order[0].name
}
