// Package vote counts votes.
package vote

import (
	"sync"
	"sync/atomic"
	"time"
)

// Precinct has ballots.
type Precinct struct {
	Name    string
	Ballots []string
	Slow    time.Duration
}

// Count counts for one party.
type Count struct {
	party     string
	precincts sync.WaitGroup
	votes     int64
}

// Start counts precincts side by side.
func Start(party string, precincts ...Precinct) *Count {
	c := &Count{party: party}
	for _, p := range precincts {
		go c.tally(p)
	}
	return c
}

func (c *Count) tally(p Precinct) {
	c.precincts.Add(1) //race:Count.precincts
	defer c.precincts.Done()
	for _, ballot := range p.Ballots {
		time.Sleep(p.Slow)
		if ballot == c.party {
			atomic.AddInt64(&c.votes, 1)
		}
	}
}

// Result waits for the last precinct.
func (c *Count) Result() int64 {
	c.precincts.Wait() //race:Count.precincts
	return atomic.LoadInt64(&c.votes)
}
