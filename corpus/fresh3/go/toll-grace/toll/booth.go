// Package toll charges drivers.
package toll

import "time"

var (
	// grace is how late one may pay.
	grace = 15 * time.Minute
	// penny is what every started minute costs.
	penny = 2
)

// Pass is a car that drove through.
type Pass struct {
	Plate string
	At    time.Time
}

func (p Pass) late(now time.Time) bool {
	return now.Sub(p.At) > grace //race:grace
}

func (p Pass) fine(now time.Time) int {
	return int(now.Sub(p.At)/time.Minute) * penny //race:penny
}
