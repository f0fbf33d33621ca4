package warehouse

import "sync"

// Warehouse has shelves, each with one kind of goods.
type Warehouse struct {
	mu      sync.Mutex
	shelves map[string]*Shelf
}

// Shelf has the stock of one kind of goods.
type Shelf struct {
	mu    sync.Mutex
	stock int
}

// New makes a warehouse of empty shelves.
func New(names ...string) *Warehouse {
	w := &Warehouse{shelves: make(map[string]*Shelf)}
	for _, name := range names {
		w.shelves[name] = &Shelf{}
	}
	return w
}

// Shelf finds a shelf.
func (w *Warehouse) Shelf(name string) *Shelf {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shelves[name]
}

// Restock puts goods onto a shelf.
func (w *Warehouse) Restock(name string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.shelves[name]; s != nil {
		s.stock += n //race:Shelf.stock
	}
}

// Pick takes goods off the shelf, as many as there are.
func (s *Shelf) Pick(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stock < n { //race:Shelf.stock
		n = s.stock //race:Shelf.stock
	}
	s.stock -= n //race:Shelf.stock
	return n
}
