package thumb

import "time"

// Page shows pictures one after the other.
func Page(c *Cache, pause time.Duration, names ...string) int {
	size := 0
	for _, name := range names {
		size += len(c.Get(name))
		time.Sleep(pause)
	}
	return size
}
