// Package ski counts who goes up a mountain.
package ski

import "sync"

// Tally is what the lift company pays tax for.
type Tally struct {
	riders int
}

// Gate lets riders through, one at a time.
type Gate struct {
	mu    sync.Mutex
	tally *Tally
	fare  int
}

// Pass lets riders through.
func (g *Gate) Pass(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tally.riders += n //race:Tally.riders
	return n * g.fare
}
