// Package health knows which services are well.
package health

import "sync"

// Tally counts outcomes.
type Tally struct {
	Checks int
}

// Board has the last outcome of every service.
type Board struct {
	mu    sync.Mutex
	state map[string]bool
	tally *Tally
}

// NewBoard returns an empty board.
func NewBoard() Board {
	return Board{state: make(map[string]bool), tally: &Tally{}}
}

// Report notes an outcome.
func (b Board) Report(name string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state[name] = ok //race:Board.state[]
	b.tally.Checks++   //race:Tally.Checks
}

// Checks is how many outcomes there were.
func (b Board) Checks() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tally.Checks //race:Tally.Checks
}
