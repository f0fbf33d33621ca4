package views

import "sync"

// Counter counts the views of one page.
type Counter struct {
	mu    sync.Mutex
	page  string
	total *int64
}

// For makes a counter.
func For(page string) Counter {
	return Counter{page: page, total: new(int64)}
}

// Hit counts n views.
func (c Counter) Hit(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.total += n //race:Counter.total
}

// Total is the number of views so far.
func (c Counter) Total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.total //race:Counter.total
}
