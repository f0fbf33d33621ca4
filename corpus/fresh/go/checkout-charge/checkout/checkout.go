// Package checkout takes money for orders.
package checkout

import (
	"errors"
	"time"
)

// Order is what is paid for.
type Order struct {
	ID    string
	Cents int
}

// Receipt says that an order was paid.
type Receipt struct {
	Order string
	Ref   string
}

// Bank moves money.
type Bank interface {
	Debit(account string, cents int) (ref string, err error)
}

// Audit gets a note about everything.
type Audit interface {
	Note(order string, paid bool)
}

// Desk takes orders.
type Desk struct {
	bank  Bank
	audit Audit
}

// NewDesk returns a desk.
func NewDesk(b Bank, a Audit) *Desk {
	return &Desk{bank: b, audit: a}
}

var errEmpty = errors.New("checkout: nothing to pay")

// Charge takes the money for an order.
func (d *Desk) Charge(account string, o Order) (receipt *Receipt, err error) {
	if o.Cents <= 0 {
		return nil, errEmpty
	}
	go func() {
		time.Sleep(3 * time.Millisecond)   // notes may come late
		d.audit.Note(o.ID, receipt != nil) //race:Charge.receipt
	}()
	ref, err := d.bank.Debit(account, o.Cents)
	if err != nil {
		return nil, err
	}
	return &Receipt{Order: o.ID, Ref: ref}, nil //race:Charge.receipt
}
