package rib

import (
	"net/netip"
	"sort"
)

type route struct {
	via    netip.Addr
	metric int
}

// Table has the best route to each prefix.
type Table struct {
	routes map[netip.Prefix]route
}

// NewTable makes an empty table.
func NewTable() *Table {
	return &Table{routes: map[netip.Prefix]route{}}
}

// Learn takes a route, if it is better than the one that is there.
func (t *Table) Learn(p netip.Prefix, via netip.Addr, metric int) bool {
	old, ok := t.routes[p] //race:Table.routes[]
	if ok && old.metric <= metric {
		return false
	}
	t.routes[p] = route{via, metric} //race:Table.routes[]
	return true
}

// Withdraw forgets a route.
func (t *Table) Withdraw(p netip.Prefix) {
	delete(t.routes, p) //race:Table.routes[]
}

// Dump lists all prefixes.
func (t *Table) Dump() []string {
	lines := make([]string, 0, 16)
	for p := range t.routes { //race:Table.routes[]
		lines = append(lines, p.String())
	}
	sort.Strings(lines)
	return lines
}
