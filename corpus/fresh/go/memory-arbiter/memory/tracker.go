// Package memory counts what queries use, as a tree.
package memory

import "sync/atomic"

// Tracker is one node: a session, a statement, an operator.
type Tracker struct {
	label  string
	bytes  int64
	parent *Tracker
}

// NewTracker returns a tracker without a parent.
func NewTracker(label string) *Tracker {
	return &Tracker{label: label}
}

// AttachTo moves the tracker, with all that it counted, below another one.
func (t *Tracker) AttachTo(parent *Tracker) {
	if t.parent != nil {
		t.parent.Consume(-t.BytesConsumed())
	}
	t.parent = parent //race:Tracker.parent
	parent.Consume(t.BytesConsumed())
}

// Consume counts bytes here and in everything above.
func (t *Tracker) Consume(bytes int64) {
	for at := t; at != nil; at = at.up() {
		atomic.AddInt64(&at.bytes, bytes)
	}
}

func (t *Tracker) up() *Tracker {
	return t.parent //race:Tracker.parent
}

// BytesConsumed is what was counted here.
func (t *Tracker) BytesConsumed() int64 {
	return atomic.LoadInt64(&t.bytes)
}
