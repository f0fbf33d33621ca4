// Package depot takes parcels in and sends them on.
package depot

import (
	"errors"
	"time"
)

// Parcel is what people send.
type Parcel struct {
	ID     string
	Grams  int
	Sender string
}

// Mailer tells people what becomes of their parcels.
type Mailer interface {
	Tell(who, what string) error
}

// Depot has belts and scales.
type Depot struct {
	mail Mailer
	belt time.Duration
}

// New returns a depot with belts of a speed.
func New(mail Mailer, belt time.Duration) *Depot {
	return &Depot{mail: mail, belt: belt}
}

func (d *Depot) weigh(p Parcel) (int, error) {
	time.Sleep(d.belt)
	if p.Grams <= 0 {
		return 0, errors.New("depot: nothing on the scales")
	}
	return p.Grams, nil
}

func (d *Depot) load(p Parcel) error {
	time.Sleep(d.belt)
	if p.ID == "" {
		return errors.New("depot: no label")
	}
	return nil
}
