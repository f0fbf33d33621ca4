package loans

import (
	"errors"
	"time"
)

// ErrOut is the answer if somebody has the title.
var ErrOut = errors.New("loans: the title is out")

// Desk is where members ask.
type Desk struct {
	shelf Shelf
	stamp time.Duration
	weeks int
}

// NewDesk opens a desk.
func NewDesk(shelf Shelf, stamp time.Duration) *Desk {
	return &Desk{shelf: shelf, stamp: stamp, weeks: 4}
}

// Lend gives a title to a member.
func (d *Desk) Lend(signature, member string, today int) error {
	title := d.shelf[signature]
	if title.borrower != "" { //race:Title.borrower
		return ErrOut
	}
	d.press()
	title.borrower = member       //race:Title.borrower
	title.due = today + 7*d.weeks //race:Title.due
	return nil
}

func (d *Desk) press() {
	time.Sleep(d.stamp)
}

// Overdue lists signatures.
func (d *Desk) Overdue(today int) []string {
	var late []string
	for signature, title := range d.shelf {
		if title.due > 0 && title.due < today {
			late = append(late, signature)
		}
	}
	return late
}
