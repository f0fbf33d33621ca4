// Package seats sells the seats of a hall.
package seats

import "errors"

// ErrTaken is returned for a seat that somebody has.
var ErrTaken = errors.New("seats: taken")

// Hall has rows of seats.
type Hall struct {
	perRow int
	taken  []string
}

// NewHall makes a hall with free seats.
func NewHall(rows, perRow int) *Hall {
	return &Hall{perRow: perRow, taken: make([]string, rows*perRow)}
}

// Free tells whether nobody has a seat.
func (h *Hall) Free(row, seat int) bool {
	return h.taken[row*h.perRow+seat] == "" //race:Hall.taken[]
}

func (h *Hall) take(row, seat int, who string) {
	h.taken[row*h.perRow+seat] = who //race:Hall.taken[]
}

// Hold takes a seat for somebody, if it is free.
func (h *Hall) Hold(row, seat int, who string) error {
	if !h.Free(row, seat) {
		return ErrTaken
	}
	h.take(row, seat, who)
	return nil
}
