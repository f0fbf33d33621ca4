// Package session knows who is logged in.
package session

import "sync"

// ID names a session.
type ID string

// Table holds sessions.
type Table struct {
	mu     sync.Mutex
	open   map[ID]string
	size   int
	newest ID
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{open: make(map[ID]string)}
}

// Login adds a session.
func (t *Table) Login(id ID, user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[id] = user
	t.size++      //race:Table.size
	t.newest = id //race:Table.newest
}

// Logout drops a session.
func (t *Table) Logout(id ID) {
	t.mu.Lock()
	if _, ok := t.open[id]; ok {
		delete(t.open, id)
		t.size-- //race:Table.size
	}
	t.mu.Unlock()
}
