// Package history remembers what was typed.
package history

import "container/list"

// Edit is one change of a text.
type Edit struct {
	At   int
	Text string
}

// History has what can be undone and what can be done again.
type History struct {
	undo *list.List
	redo *list.List
}

// New returns an empty history.
func New() *History {
	return &History{undo: list.New(), redo: list.New()}
}

// Type adds an edit.
func (h *History) Type(e Edit) {
	h.undo.PushBack(e) //race:History.undo
}

// Undo moves an edit to those that can be done again.
func (h *History) Undo() bool {
	last := h.undo.Back() //race:History.undo
	if last == nil {
		return false
	}
	value := h.undo.Remove(last) //race:History.undo
	h.redo.PushFront(value)      //race:History.redo
	return true
}
