// Package canal shows where barges are.
package canal

import (
	"fmt"
	"time"
)

// Tracker follows one barge from lock to lock.
type Tracker struct {
	Barge string
	lock  Latest[int]
}

// Keeper tells trackers about barges that pass.
type Keeper struct {
	Lock  int
	Fills time.Duration
}

// Pass lets a barge through.
func (k Keeper) Pass(t *Tracker) {
	time.Sleep(k.Fills)
	t.lock.Set(k.Lock)
}

// Voyage takes a barge through locks.
func (t *Tracker) Voyage(keepers ...Keeper) {
	for _, k := range keepers {
		k.Pass(t)
	}
}

// Pin is what the map shows.
func (t *Tracker) Pin() string {
	return fmt.Sprintf("%s at lock %d after %d", t.Barge, t.lock.Get(), t.lock.Changes())
}
