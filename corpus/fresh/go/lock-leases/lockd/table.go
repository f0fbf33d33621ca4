// Package lockd hands out locks for a limited time.
package lockd

import (
	"errors"
	"sync"
	"time"
)

// ErrHeld is returned if somebody else has the lock.
var ErrHeld = errors.New("lockd: held by somebody else")

// Lease is the right to a lock until some time.
type Lease struct {
	Name    string
	Holder  string
	table   *Table
	expires time.Time
}

// Table knows all leases.
type Table struct {
	mu     sync.Mutex
	leases map[string]*Lease
	ttl    time.Duration
}

// NewTable returns a table whose leases last for ttl.
func NewTable(ttl time.Duration) *Table {
	return &Table{leases: make(map[string]*Lease), ttl: ttl}
}

// Acquire takes a lock.
func (t *Table) Acquire(name, holder string) (*Lease, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.leases[name]; ok && l.Holder != holder && time.Now().Before(l.expires) {
		return nil, ErrHeld
	}
	l := &Lease{Name: name, Holder: holder, table: t, expires: time.Now().Add(t.ttl)}
	t.leases[name] = l
	return l, nil
}

// renewAll gives every lease its full time again.
func (t *Table) renewAll(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.leases {
		l.expires = now.Add(t.ttl) //race:Lease.expires
	}
}

// KeepAlive renews all leases so many times.
func (t *Table) KeepAlive(times int) {
	for i := 0; i < times; i++ {
		time.Sleep(t.ttl / 4)
		t.renewAll(time.Now())
	}
}

// Valid says whether the lease still holds.
func (l *Lease) Valid() bool {
	return time.Now().Before(l.expires) //race:Lease.expires
}
