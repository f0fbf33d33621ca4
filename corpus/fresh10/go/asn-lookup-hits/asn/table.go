// Package asn maps addresses to autonomous systems.
package asn

import (
	"net/netip"
	"sort"
	"sync"
)

// Route is a prefix and who announces it.
type Route struct {
	Prefix netip.Prefix
	AS     uint32
}

// Table is replaced as a whole now and then, and read all the time.
type Table struct {
	rw     sync.RWMutex
	routes []Route
	seen   map[uint32]int
}

// NewTable makes an empty table.
func NewTable() *Table {
	return &Table{seen: map[uint32]int{}}
}

// Replace installs other routes, the longest prefixes first.
func (t *Table) Replace(routes []Route) {
	next := append([]Route(nil), routes...)
	sort.SliceStable(next, func(i, j int) bool { return next[i].Prefix.Bits() > next[j].Prefix.Bits() })
	t.rw.Lock()
	defer t.rw.Unlock()
	t.routes = next
	clear(t.seen) //race:Table.seen
}

// Lookup finds the system that announces an address.
func (t *Table) Lookup(addr netip.Addr) (uint32, bool) {
	t.rw.RLock()
	defer t.rw.RUnlock()
	for _, r := range t.routes {
		if r.Prefix.Contains(addr) {
			t.seen[r.AS]++ //race:Table.seen
			return r.AS, true
		}
	}
	return 0, false
}

// Seen tells how often a system was the answer.
func (t *Table) Seen(as uint32) int {
	t.rw.Lock()
	defer t.rw.Unlock()
	return t.seen[as] //race:Table.seen
}
