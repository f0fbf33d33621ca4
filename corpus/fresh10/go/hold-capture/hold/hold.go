// Package hold keeps money that a card has been authorised for.
package hold

import (
	"errors"
	"fmt"
	"time"
)

// ErrExceeded is returned for a capture of more than is left.
var ErrExceeded = errors.New("more than is left of the hold")

// Hold is an authorisation of which parts are captured.
type Hold struct {
	id      string
	rest    int64
	entries chan Entry
}

// Entry is a line of the journal.
type Entry struct {
	Hold, Reference string
	Cents           int64
	At              time.Time
}

// New authorises an amount.
func New(id string, cents int64) *Hold {
	return &Hold{id: id, rest: cents, entries: make(chan Entry, 16)}
}

// covers tells whether a capture is possible.
func (h *Hold) covers(cents int64) bool {
	return cents > 0 && cents <= h.rest //race:Hold.rest
}

// Capture takes a part of the hold.
func (h *Hold) Capture(reference string, cents int64) error {
	if !h.covers(cents) {
		return fmt.Errorf("%s: %w", reference, ErrExceeded)
	}
	entry := Entry{Hold: h.id, Reference: reference, Cents: cents, At: time.Now()}
	h.rest -= cents //race:Hold.rest
	h.entries <- entry
	return nil
}
