package ledger

import "errors"

// Book holds the balances of accounts. It is not meant to be shared.
type Book struct {
	balances map[string]int64
	entries  int
}

// NewBook returns a book with the given opening balances.
func NewBook(opening map[string]int64) *Book {
	b := &Book{balances: map[string]int64{}}
	for account, amount := range opening {
		b.balances[account] = amount
	}
	return b
}

// ErrFunds says that an account has too little.
var ErrFunds = errors.New("insufficient funds")

// Post moves an amount.
func (b *Book) Post(from, to string, amount int64) error {
	if b.balances[from] < amount { //race:Book.balances
		return ErrFunds
	}
	b.balances[from] -= amount //race:Book.balances
	b.balances[to] += amount   //race:Book.balances
	return nil
}

// Balance returns what an account has.
func (b *Book) Balance(account string) int64 {
	return b.balances[account] //race:Book.balances
}
