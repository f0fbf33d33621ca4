package main

import "sync"

// house has the tables and takes its share of the pots.
type house struct {
	mu     sync.Mutex
	tables map[string]*table
	share  map[string]int
	rake   int
}

func newHouse() *house {
	return &house{tables: map[string]*table{}, share: map[string]int{}}
}

func (h *house) open(name string, percent int) *table {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &table{name: name}
	h.tables[name] = t
	h.share[name] = percent
	return t
}

// collectRake takes the house's share out of a pot.
func (h *house) collectRake(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tables[name]
	if !ok {
		return
	}
	part := t.pot * h.share[name] / 100 //race:table.pot
	h.rake += part
	t.pot -= part //race:table.pot
}
