// Package tax keeps the accounts of taxpayers.
package tax

import "sync"

// Cents is an amount.
type Cents int64

// Account is what a taxpayer owes, and what employers withheld.
type Account struct {
	mu       sync.Mutex
	owed     Cents
	withheld Cents
}

func (a *Account) assess(amount Cents) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.owed += amount //race:Account.owed
}

func (a *Account) withhold(amount Cents) {
	a.mu.Lock()
	a.withheld += amount //race:Account.withheld
	a.mu.Unlock()
}

func (a *Account) balance() Cents {
	return a.owed - a.withheld //race:Account.owed,Account.withheld
}
