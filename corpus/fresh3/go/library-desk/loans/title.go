// Package loans lends titles to members.
package loans

// Title is one book.
type Title struct {
	Name     string
	borrower string
	due      int
}

// Shelf has titles by their signature; it does not change.
type Shelf map[string]*Title
