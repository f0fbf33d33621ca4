// Package book holds orders.
package book

import "iter"

// Order asks for some of an item.
type Order struct {
	Item  string
	Count int
}

// Book holds the orders that are open.
type Book struct {
	open   []Order
	byItem map[string]int
}

// New returns a book with room for n orders.
func New(n int) *Book {
	return &Book{open: make([]Order, 0, n), byItem: make(map[string]int, n)}
}

// Enter adds an order.
func (b *Book) Enter(o Order) {
	b.open = append(b.open, o)  //race:Book.open
	b.byItem[o.Item] += o.Count //race:Book.byItem[]
}

// Orders walks the open orders.
func (b *Book) Orders() iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := len(b.open); n > 0; n-- { //race:Book.open
			if !yield(n) {
				return
			}
		}
	}
}

// Items walks the totals.
func (b *Book) Items() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for item, n := range b.byItem { //race:Book.byItem[]
			if !yield(item, n) {
				return
			}
		}
	}
}
