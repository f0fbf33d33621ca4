package bank

import "sync"

// Bank has all accounts.
type Bank struct {
	mu       sync.Mutex
	accounts map[string]*Account
}

// Open makes an account.
func (b *Bank) Open(iban string, cents int64) *Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.accounts == nil {
		b.accounts = make(map[string]*Account)
	}
	a := &Account{iban: iban, balance: cents}
	b.accounts[iban] = a
	return a
}

// Transfer moves an amount from one account to another.
func (b *Bank) Transfer(from, to string, cents int64) error {
	return b.locked(func() error {
		src, dst := b.accounts[from], b.accounts[to]
		if src.balance < cents { //race:Account.balance
			return ErrFunds
		}
		src.balance -= cents //race:Account.balance
		dst.balance += cents //race:Account.balance
		src.version++        //race:Account.version
		dst.version++        //race:Account.version
		return nil
	})
}

func (b *Bank) locked(f func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return f()
}
