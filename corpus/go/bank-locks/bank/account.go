package bank

import "sync"

// Account has money and a history.
type Account struct {
	mu      sync.Mutex
	balance int64
	history []string
}

// Deposit adds money.
func (a *Account) Deposit(cents int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += cents //race:Account.balance
	a.note("deposit")
}

func (a *Account) note(what string) {
	a.history = append(a.history, what) //race:Account.history
}

// Statement tells what happened.
func (a *Account) Statement() (int64, int) {
	n := len(a.history) //race:Account.history
	return a.balance, n //race:Account.balance
}
