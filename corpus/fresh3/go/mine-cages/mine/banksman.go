package mine

import "time"

// Banksman rings for the cage.
type Banksman struct {
	Shaft *Shaft
	Look  time.Duration
}

// Ring waits until a cage is full, but no longer than some looks, and sends it.
func (b *Banksman) Ring(looks int) []string {
	for i := 0; i < looks && !b.Shaft.Full(); i++ {
		time.Sleep(b.Look)
	}
	return b.Shaft.board()
}
