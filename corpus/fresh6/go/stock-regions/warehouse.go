package main

import (
	"errors"
	"sync"
	"time"
)

var errShort = errors.New("not enough stock")

type warehouse struct {
	code     string
	onHand   int
	reserved int
}

func (w *warehouse) reserve(n int) error {
	free := w.onHand - w.reserved //race:warehouse.reserved
	if free < n {
		return errShort
	}
	time.Sleep(100 * time.Microsecond)
	w.reserved += n //race:warehouse.reserved
	return nil
}

// region serves the orders of some countries from the warehouses near to them.
type region struct {
	name string

	mu   sync.Mutex
	near []*warehouse
}

// place reserves in the first warehouse that has enough.
func (r *region) place(qty int) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.near {
		err := w.reserve(qty)
		if err == nil {
			return w.code, nil
		}
		if !errors.Is(err, errShort) {
			return "", err
		}
	}
	return "", errShort
}
