package main

import (
	"sort"
	"sync"
)

type floor struct {
	placement string
	cents     int
}

type table struct {
	mu   sync.Mutex
	rows []floor
}

func (t *table) sorted() []floor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows
}

func (t *table) raise(placement string, cents int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.rows {
		if t.rows[i].placement == placement { //race:table.rows[]
			t.rows[i].cents = cents //race:table.rows[]
		}
	}
	sort.Slice(t.rows, func(i, j int) bool { //race:table.rows[]
		return t.rows[i].cents < t.rows[j].cents //race:table.rows[]
	})
}
