package lease

// Lease ends some time.
type Lease struct {
	Owner string
	until int64
}

// Book lends.
type Book struct {
	now func() int64
}

// NewBook returns a book that has the time from a function.
func NewBook(now func() int64) *Book {
	return &Book{now: now}
}

// Grant lends something for so long.
func (b *Book) Grant(owner string, life int64) Lease {
	return Lease{owner, b.now() + life}
}

// Valid says whether a lease has not ended.
func (b *Book) Valid(l Lease) bool {
	return b.now() < l.until
}
