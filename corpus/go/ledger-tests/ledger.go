package ledger

// Account belongs to an owner.
type Account struct {
	owner   string
	balance int64
	limit   int64
}

// Deposit adds money.
func (a *Account) Deposit(cents int64) {
	a.balance += cents //race:Account.balance
}

// Rename changes the owner.
func (a *Account) Rename(owner string) {
	a.owner = owner //race:Account.owner
}

// Raise changes the limit.
func (a *Account) Raise(cents int64) {
	a.limit = cents //race:Account.limit
}

// Allows tells whether the limit allows a payment.
func (a *Account) Allows(cents int64) bool {
	return cents < a.limit //race:Account.limit
}
