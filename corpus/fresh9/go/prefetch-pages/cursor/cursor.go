package cursor

import "time"

// Page of rows.
type Page struct {
	Number int
	Rows   []string
	Last   bool
}

// Source loads pages.
type Source interface {
	Load(number int, into *Page)
}

// Cursor walks over pages.
type Cursor struct {
	src  Source
	next *Page
}

// New makes a cursor on the first page.
func New(src Source) *Cursor { return &Cursor{src: src, next: &Page{Number: 1}} }

// Fetch returns the current page and begins to load the next one.
func (c *Cursor) Fetch() *Page {
	page := c.next
	if page.Number == 1 {
		c.src.Load(1, page)
	}
	c.next = &Page{Number: page.Number + 1}
	go c.src.Load(page.Number+1, c.next)
	time.Sleep(time.Millisecond)
	return page
}
