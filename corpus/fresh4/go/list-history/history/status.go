package history

// Depth says how many edits can be undone and done again.
func (h *History) Depth() (undo, redo int) {
	undo = h.undo.Len() //race:History.undo
	redo = h.redo.Len() //race:History.redo
	return undo, redo
}
