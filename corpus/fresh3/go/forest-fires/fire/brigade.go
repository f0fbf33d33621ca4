package fire

import "time"

// Sighting is what a ranger sees.
type Sighting struct {
	X, Y int
	Cell Cell
}

// Ranger walks and marks.
type Ranger struct {
	Grid *Grid
	Walk time.Duration
}

// Patrol marks one sighting after the other.
func (r Ranger) Patrol(seen ...Sighting) {
	for _, s := range seen {
		r.Grid.mark(s.X, s.Y, s.Cell)
		time.Sleep(r.Walk)
	}
}

// Brigade plans with snapshots.
type Brigade struct {
	Grid *Grid
}

// Engines is how many fire engines are needed.
func (b Brigade) Engines() int {
	return (b.Grid.Snapshot().Burning() + 2) / 3
}
