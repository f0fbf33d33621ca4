package match

import (
	"strings"
	"sync"
)

type route struct {
	prefix  string
	backend string
	hits    uint64
}

// Table maps paths to backends.
type Table struct {
	mu     sync.RWMutex
	routes []*route
}

// Add puts a route in.
func (t *Table) Add(prefix, backend string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes = append(t.routes, &route{prefix: prefix, backend: backend})
}

// Match finds the backend with the longest prefix.
func (t *Table) Match(path string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var best *route
	for _, r := range t.routes {
		if strings.HasPrefix(path, r.prefix) && (best == nil || len(r.prefix) > len(best.prefix)) {
			best = r
		}
	}
	if best == nil {
		return "", false
	}
	best.hits++ //race:route.hits
	return best.backend, true
}

// Hits of a prefix.
func (t *Table) Hits(prefix string) uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, r := range t.routes {
		if r.prefix == prefix {
			return r.hits //race:route.hits
		}
	}
	return 0
}
