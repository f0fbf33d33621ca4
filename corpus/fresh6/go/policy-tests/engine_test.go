package policy

import (
	"errors"
	"testing"
	"time"
)

type memStore struct {
	policies map[string]Policy
}

func (m *memStore) Put(p Policy) error {
	time.Sleep(time.Millisecond)
	m.policies[p.Name] = p //race:memStore.policies[]
	return nil
}

func (m *memStore) Get(name string) (Policy, error) {
	time.Sleep(time.Millisecond)
	p, ok := m.policies[name] //race:memStore.policies[]
	if !ok {
		return Policy{}, ErrNotFound
	}
	return p, nil
}

var store = &memStore{policies: map[string]Policy{}}

func attach(t *testing.T, p Policy) *Engine {
	t.Helper()
	e := NewEngine(store)
	if err := e.Attach(p); err != nil {
		t.Fatalf("Attach(%s): %v", p.Name, err)
	}
	return e
}

func TestAllowedByName(t *testing.T) {
	t.Parallel()
	e := attach(t, Policy{Name: "reader", Actions: []string{"read"}})
	if ok, err := e.Allowed("reader", "read"); err != nil || !ok {
		t.Errorf("read: %v, %v", ok, err)
	}
}

func TestDenyWins(t *testing.T) {
	t.Parallel()
	e := attach(t, Policy{Name: "frozen", Actions: []string{"*"}, Deny: true})
	if ok, _ := e.Allowed("frozen", "write"); ok {
		t.Error("write was allowed")
	}
}

func TestUnknownPolicy(t *testing.T) {
	t.Parallel()
	e := NewEngine(store)
	if _, err := e.Allowed("nobody", "read"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
