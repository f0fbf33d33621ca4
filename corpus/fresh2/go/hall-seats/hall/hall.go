// Package hall sells seats.
package hall

import (
	"errors"
	"time"
)

// ErrSoldOut is returned when there are too few seats.
var ErrSoldOut = errors.New("hall: sold out")

// Payment takes money.
type Payment func(seats int) error

// Hall has seats of two kinds.
type Hall struct {
	free   int
	aisle  int
	charge Payment
}

// New returns an empty hall.
func New(free, aisle int, charge Payment) *Hall {
	return &Hall{free: free, aisle: aisle, charge: charge}
}

// Reserve sells some seats.
func (h *Hall) Reserve(seats int) error {
	if h.free < seats { //race:Hall.free
		return ErrSoldOut
	}
	if err := h.charge(seats); err != nil {
		return err
	}
	h.free -= seats //race:Hall.free
	return nil
}

// ReserveAisle sells seats with room for the legs.
func (h *Hall) ReserveAisle(seats int) error {
	if h.aisle < seats { //race:Hall.aisle
		return ErrSoldOut
	}
	if err := h.charge(seats); err != nil {
		return err
	}
	h.aisle -= seats //race:Hall.aisle
	return nil
}

// Later is a payment that takes a while.
func Later(d time.Duration) Payment {
	return func(seats int) error {
		time.Sleep(d)
		return nil
	}
}
