package billing

import (
	"errors"
	"time"
)

var errPaid = errors.New("already paid")

type Invoice struct {
	Number string
	Cents  int
	Paid   bool
}

type Discount struct {
	Percent int
	Min     int
}

// Apply lowers the sum of an invoice.
func (d Discount) Apply(inv *Invoice) error {
	if inv.Paid {
		return errPaid
	}
	time.Sleep(time.Millisecond) // the rules are asked for
	if inv.Cents < d.Min {       //race:Invoice.Cents
		return nil
	}
	inv.Cents -= inv.Cents * d.Percent / 100 //race:Invoice.Cents
	return nil
}
