package book

import "sync"

// Level is the volume at one price.
type Level struct {
	Price  int64
	Volume int64
}

// Book is one side of an order book.
type Book struct {
	mu     sync.Mutex
	levels []*Level
}

// New makes a book with levels at the given prices.
func New(prices ...int64) Book {
	b := Book{}
	for _, p := range prices {
		b.levels = append(b.levels, &Level{Price: p})
	}
	return b
}

// Place adds volume at a price.
func (b Book) Place(price, volume int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.levels {
		if l.Price == price {
			l.Volume += volume //race:Level.Volume
			return true
		}
	}
	return false
}

// Depth is the volume of all levels.
func (b Book) Depth() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := int64(0)
	for _, l := range b.levels {
		sum += l.Volume //race:Level.Volume
	}
	return sum
}
