// Package lease lends things for a while.
package lease

// Clock is a clock that stands still unless it is moved.
type Clock struct {
	now   int64
	moves int
}

// Now is the time.
func (c *Clock) Now() int64 {
	return c.now //race:Clock.now
}

// Advance moves the clock.
func (c *Clock) Advance(by int64) {
	c.now += by //race:Clock.now
	c.moves++   //race:Clock.moves
}
