package gauge

import "sync"

// Cursor goes through a series.
type Cursor struct {
	mu     sync.Mutex
	series *Series
	at     int
}

// Next returns the next level, and false behind the last one.
func (c *Cursor) Next() (Level, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at >= len(c.series.levels) { //race:Cursor.at
		return Level{}, false
	}
	level := c.series.levels[c.at] //race:Cursor.at
	c.at++                         //race:Cursor.at
	return level, true
}

// Left is how many levels are still to come.
func (c *Cursor) Left() int {
	return len(c.series.levels) - c.at //race:Cursor.at
}
