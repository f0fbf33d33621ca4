// Package replica writes records to several stores.
package replica

import (
	"errors"
	"fmt"
	"sync"
)

// ErrQuorum is returned if too few stores took a record.
var ErrQuorum = errors.New("replica: no quorum")

// Store keeps records.
type Store interface {
	Name() string
	Write(key string, value []byte) (int, error)
}

// Set writes to all of its stores.
type Set struct {
	stores []Store
	quorum int
}

// NewSet returns a set that needs a majority.
func NewSet(stores ...Store) *Set {
	return &Set{stores: stores, quorum: len(stores)/2 + 1}
}

// Replicate writes a record everywhere at once.
func (s *Set) Replicate(key string, value []byte) (int, error) {
	var (
		wg      sync.WaitGroup
		err     error
		written int
	)
	wg.Add(len(s.stores))
	for i := range s.stores {
		store := s.stores[i]
		go func() {
			defer wg.Done()
			var n int
			n, err = store.Write(key, value) //race:Replicate.err
			if n == len(value) {
				written++ //race:Replicate.written
			}
		}()
	}
	wg.Wait()
	if written < s.quorum {
		return written, fmt.Errorf("%w: %d of %d: %v", ErrQuorum, written, s.quorum, err)
	}
	return written, nil
}
