// Package bank moves money.
package bank

import "sync"

// Bank has accounts.
type Bank struct {
	mu       sync.Mutex
	accounts map[string]*Account
}

// New returns a bank with two accounts.
func New() *Bank {
	return &Bank{accounts: map[string]*Account{"a": {}, "b": {}}}
}

func (b *Bank) account(name string) *Account {
	return b.accounts[name]
}

// Transfer moves money under the bank's own lock.
func (b *Bank) Transfer(from, to string, cents int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.move(b.account(from), -cents)
	b.move(b.account(to), cents)
}

func (b *Bank) move(a *Account, cents int64) {
	a.Deposit(cents)
}

// Report prints a statement.
func (b *Bank) Report(name string) (int64, int) {
	return b.account(name).Statement()
}
