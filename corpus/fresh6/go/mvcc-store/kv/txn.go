// Package kv is a small store with versions.
package kv

import (
	"errors"
	"sort"
	"sync"
)

var (
	ErrConflict = errors.New("kv: write conflict")
	ErrDone     = errors.New("kv: transaction is over")
)

type version struct {
	ts    uint64
	value []byte
}

// Store keeps all versions of each key.
type Store struct {
	mu    sync.RWMutex
	clock uint64
	data  map[string][]version
}

func NewStore() *Store {
	return &Store{data: make(map[string][]version)}
}

func (s *Store) latest(key string, at uint64) (version, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	vs := s.data[key]
	i := sort.Search(len(vs), func(i int) bool { return vs[i].ts > at })
	if i == 0 {
		return version{}, false
	}
	return vs[i-1], true
}

type write struct {
	key   string
	value []byte
}

// Txn sees the store as it was when the transaction began.
type Txn struct {
	store  *Store
	start  uint64
	writes []write
	done   bool
}

func (s *Store) Begin() *Txn {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &Txn{store: s, start: s.clock}
}

func (t *Txn) Get(key string) ([]byte, bool) {
	v, ok := t.store.latest(key, t.start)
	return v.value, ok
}

// Put buffers a write until the commit.
func (t *Txn) Put(key string, value []byte) error {
	if t.done {
		return ErrDone
	}
	t.writes = append(t.writes, write{key, value}) //race:Txn.writes
	return nil
}

// Commit applies all writes, or none.
func (t *Txn) Commit() error {
	if t.done {
		return ErrDone
	}
	t.done = true
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	for _, w := range t.writes {
		vs := t.store.data[w.key]
		if n := len(vs); n > 0 && vs[n-1].ts > t.start {
			return ErrConflict
		}
	}
	t.store.clock++
	for _, w := range t.writes {
		t.store.data[w.key] = append(t.store.data[w.key], version{t.store.clock, w.value})
	}
	return nil
}
