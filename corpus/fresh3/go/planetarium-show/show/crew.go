// Package show runs a planetarium.
package show

import (
	"fmt"
	"time"
)

// Crew prepares a part of a show.
type Crew struct {
	Part  string
	Lamps int
	Needs time.Duration
}

func (c Crew) prepare() (int, error) {
	time.Sleep(c.Needs)
	if c.Part == "" {
		return 0, fmt.Errorf("show: a crew without a part")
	}
	return c.Lamps, nil
}
