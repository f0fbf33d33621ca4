// Package quarry moves stones.
package quarry

import "time"

// Truck carries stones from a face to the crusher.
type Truck struct {
	Number int
	Tonnes int
	Road   time.Duration
}

// drive takes some trips and tells the scales about each.
func (t *Truck) drive(trips int, scales chan<- int) {
	for i := 0; i < trips; i++ {
		time.Sleep(2 * time.Millisecond)
		scales <- t.Tonnes //race:Dispatch.truck
	}
}
