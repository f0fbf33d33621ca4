// Package tree keeps settings in a tree that can be watched.
package tree

// Tree is a set of settings; it belongs to one user at a time.
type Tree struct {
	values   map[string]string
	revision int
	author   string
}

// Default is the tree of this process.
var Default = New()

// New returns an empty tree.
func New() *Tree {
	return &Tree{values: make(map[string]string)}
}

// Assign changes a setting.
func (t *Tree) Assign(author, key, value string) {
	t.values[key] = value
	t.author = author //race:Tree.author
	t.revision++      //race:Tree.revision
}
