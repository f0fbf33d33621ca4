// Package gateway takes connections from players.
package gateway

import (
	"time"

	"github.com/deadheat-corpus/lobbymatch/lobby"
)

// Door is where players go in.
type Door interface {
	Enter(p lobby.Player)
	Confirm(p lobby.Player)
}

// Gateway serves one region.
type Gateway struct {
	region string
	lag    time.Duration
	door   Door
}

// New returns a gateway in front of a door.
func New(region string, lag time.Duration, door Door) *Gateway {
	return &Gateway{region: region, lag: lag, door: door}
}

// Serve lets players in, one after the other, and calls back when all are ready.
func (g *Gateway) Serve(names []string, done func(region string)) {
	for i, name := range names {
		p := lobby.Player{Name: g.region + "/" + name, Rating: 1000 + 10*i}
		time.Sleep(g.lag)
		g.door.Enter(p)
		time.Sleep(g.lag)
		g.door.Confirm(p)
	}
	done(g.region)
}
