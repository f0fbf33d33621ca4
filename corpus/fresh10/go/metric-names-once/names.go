package main

import (
	"sync"
	"time"
)

type metric struct {
	name string
	unit string
}

func builtin() []metric {
	time.Sleep(300 * time.Microsecond)
	return []metric{
		{"http_requests", "1"},
		{"http_seconds", "s"},
		{"heap_bytes", "By"},
	}
}

// names are loaded when the first of them is asked for.
type names struct {
	load  func() []metric
	once  sync.Once
	table map[string]metric
}

func (n *names) build() {
	table := map[string]metric{}
	for _, m := range n.load() {
		table[m.name] = m //behind:names.table[]
	}
	n.table = table //race:names.table
}

func (n *names) lookup(name string) (metric, bool) {
	n.once.Do(n.build)
	m, ok := n.table[name]
	return m, ok
}

// size is for the status page, which must not cause a load.
func (n *names) size() int {
	return len(n.table) //behind:names.table[] //race:names.table
}
