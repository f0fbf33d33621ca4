// Package memory tracks the use of memory in a tree.
package memory

import "sync"

// Tracker is a node of the tree.
type Tracker struct {
	mu     sync.Mutex
	parent *Tracker
	label  string
	used   int64
}

// New returns a tracker below a parent.
func New(label string, parent *Tracker) *Tracker {
	return &Tracker{label: label, parent: parent}
}

// Consume adds to this tracker and to all above it.
//
//go:noinline
func (t *Tracker) Consume(n int64) {
	t.mu.Lock()
	t.used += n
	t.mu.Unlock()
	if t.parent != nil { //race:Tracker.parent
		t.parent.Consume(n) //race:Tracker.parent
	}
}

// AttachTo moves the tracker below another.
func (t *Tracker) AttachTo(parent *Tracker) {
	t.parent = parent //race:Tracker.parent
}

// SetLabel names the tracker.
func (t *Tracker) SetLabel(label string) {
	t.label = label //race:Tracker.label
}

// Label is the tracker's name.
func (t *Tracker) Label() string {
	return t.label //race:Tracker.label
}
