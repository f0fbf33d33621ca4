// Package election chooses one of several processes.
package election

import "time"

// Backend decides who leads.
type Backend interface {
	Campaign(name string, term uint64) (leader string, err error)
}

// Rounds is a backend in which everybody leads in turn.
type Rounds struct {
	Names []string
	Lag   time.Duration
}

// Campaign says whose turn it is.
func (r Rounds) Campaign(name string, term uint64) (string, error) {
	time.Sleep(r.Lag)
	return r.Names[int(term)%len(r.Names)], nil
}
