// Package lobby brings players together for a match.
package lobby

// Roster keeps entries in the order in which they came.
type Roster[T any] struct {
	items []T
}

// Append adds an entry.
func (r *Roster[T]) Append(v T) {
	r.items = append(r.items, v)
}

// Len is how many entries there are.
func (r *Roster[T]) Len() int {
	return len(r.items)
}
