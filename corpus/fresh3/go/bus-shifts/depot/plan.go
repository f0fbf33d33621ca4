package depot

import "time"

// Shift is a set of buses that leave together.
type Shift struct {
	Buses []Bus
	Pause time.Duration // until the next one
}

// Day sends shift after shift.
func (d *Depot) Day(shifts ...Shift) {
	for i, s := range shifts {
		d.Leave(s.Buses...)
		go d.Wash(i)
		time.Sleep(s.Pause)
	}
}
