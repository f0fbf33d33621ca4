package ferry

import (
	"context"
	"time"
)

// Fleet has ships and patience.
type Fleet struct {
	Patience time.Duration
	Gangway  Gangway
}

// Depart boards every ship, and lists those that were late.
func (f *Fleet) Depart(ctx context.Context, tickets map[string][]string) []string {
	var late []string
	for ship, list := range tickets {
		if !f.one(ctx, ship, list) {
			late = append(late, ship)
		}
	}
	return late
}

func (f *Fleet) one(ctx context.Context, ship string, tickets []string) bool {
	ctx, cancel := context.WithTimeout(ctx, f.Patience)
	defer cancel()
	m := &Manifest{Ship: ship}
	return m.Board(ctx, f.Gangway, tickets)
}
