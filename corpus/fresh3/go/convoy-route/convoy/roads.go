// Package convoy plans routes for wide loads.
package convoy

import (
	"fmt"
	"time"
)

// Road connects two towns and stands a weight.
type Road struct {
	From, To string
	Tonnes   int
	Km       int
}

// Atlas knows roads.
type Atlas struct {
	roads []Road
	page  time.Duration
}

// NewAtlas returns an atlas whose pages take time to turn.
func NewAtlas(page time.Duration, roads ...Road) *Atlas {
	return &Atlas{roads: roads, page: page}
}

func (a *Atlas) leg(from, to string, tonnes int) (int, error) {
	for _, r := range a.roads {
		time.Sleep(a.page)
		if r.From != from || r.To != to {
			continue
		}
		if r.Tonnes < tonnes {
			return 0, fmt.Errorf("convoy: %s to %s stands %d t only", from, to, r.Tonnes)
		}
		return r.Km, nil
	}
	return 0, fmt.Errorf("convoy: no road from %s to %s", from, to)
}
