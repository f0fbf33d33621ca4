package counter

import "sync"

// Counter counts by name.
type Counter struct {
	mu     sync.Mutex
	byName map[string]int
}

// New returns an empty Counter.
func New() Counter {
	return Counter{byName: map[string]int{}}
}

// Inc counts one more.
func (c Counter) Inc(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byName[name]++ //race:Counter.byName
}
