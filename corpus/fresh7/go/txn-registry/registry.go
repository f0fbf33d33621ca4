package main

import (
	"sync"
	"time"
)

type txnID uint64

type txn struct {
	id      txnID
	started time.Time
	writes  int
}

// registry knows the open transactions.
type registry struct {
	mu   sync.Mutex
	next txnID
	open map[txnID]*txn
}

func newRegistry() *registry { return &registry{open: make(map[txnID]*txn)} }

func (r *registry) begin() *txn {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	t := &txn{id: r.next, started: time.Now()}
	r.open[t.id] = t //race:registry.open
	return t
}

func (r *registry) end(t *txn) {
	r.mu.Lock()
	delete(r.open, t.id) //race:registry.open
	r.mu.Unlock()
}

func (r *registry) active() int { return len(r.open) } //race:registry.open

func (r *registry) within(f func(*txn) error) error {
	t := r.begin()
	defer r.end(t)
	return f(t)
}
