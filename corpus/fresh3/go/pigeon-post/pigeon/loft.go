// Package pigeon sends letters by pigeon.
package pigeon

import (
	"errors"
	"time"
)

// ErrHawk ends a flight.
var ErrHawk = errors.New("pigeon: a hawk")

// Pigeon flies home.
type Pigeon struct {
	Name  string
	Speed time.Duration // for a kilometre
	Brave bool
}

func (p Pigeon) fly(km int) (time.Duration, error) {
	takes := time.Duration(km) * p.Speed
	time.Sleep(takes)
	if !p.Brave && km > 100 {
		return takes, ErrHawk
	}
	return takes, nil
}

// Loft is where pigeons live.
type Loft struct {
	Town    string
	Km      int
	Pigeons []Pigeon
}
