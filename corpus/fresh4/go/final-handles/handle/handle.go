// Package handle owns resources and counts those that were forgotten.
package handle

import "runtime"

// Ledger counts handles.
type Ledger struct {
	opened int
	closed int
	names  string
}

// Handle owns a resource.
type Handle struct {
	name   string
	ledger *Ledger
	data   [64]byte
}

// Acquire opens a handle that is closed when nobody has it any more.
func (l *Ledger) Acquire(name string) *Handle {
	h := &Handle{name: name, ledger: l}
	l.opened++
	runtime.SetFinalizer(h, (*Handle).release)
	return h
}

func (h *Handle) release() {
	h.ledger.closed++        //race:Ledger.closed
	h.ledger.names += h.name //race:Ledger.names
}

// Leaked says how many handles are open and the names of those that were closed.
func (l *Ledger) Leaked() (int, string) {
	open := l.opened - l.closed //race:Ledger.closed
	return open, l.names        //race:Ledger.names
}
