package ledger

import (
	"fmt"
	"sync"
)

// Account has a balance in cents.
type Account struct {
	sync.Mutex
	IBAN    string
	balance int64
}

// Open makes an account.
func Open(iban string, cents int64) *Account { return &Account{IBAN: iban, balance: cents} }

// Transfer moves money, locking in the order of the IBANs.
func Transfer(from, to *Account, cents int64) error {
	first, second := from, to
	if second.IBAN < first.IBAN {
		first, second = second, first
	}
	first.Lock()
	defer first.Unlock()
	second.Lock()
	defer second.Unlock()
	if from.balance < cents {
		return fmt.Errorf("%s: insufficient funds", from.IBAN)
	}
	from.balance -= cents //race:Account.balance
	to.balance += cents   //race:Account.balance
	return nil
}

// Statement is a line for the customer.
func (a *Account) Statement() string {
	return fmt.Sprintf("%s %d.%02d", a.IBAN, a.balance/100, a.balance%100) //race:Account.balance
}
