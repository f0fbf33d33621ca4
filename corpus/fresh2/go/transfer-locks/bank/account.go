// Package bank moves money.
package bank

import (
	"errors"
	"sync"
)

// ErrFunds is returned when there is too little.
var ErrFunds = errors.New("bank: insufficient funds")

// Account belongs to one customer.
type Account struct {
	sync.Mutex
	iban    string
	balance int64
	version int
}

// Pay takes an amount off by card.
func (a *Account) Pay(cents int64) error {
	a.Lock()
	defer a.Unlock()
	if a.balance < cents { //race:Account.balance
		return ErrFunds
	}
	a.balance -= cents //race:Account.balance
	a.version++        //race:Account.version
	return nil
}
