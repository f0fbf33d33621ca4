// Package ledger books amounts; a ledger belongs to one goroutine at a time.
package ledger

import (
	"errors"
	"fmt"
)

// ErrEmpty is returned for a posting without an amount.
var ErrEmpty = errors.New("ledger: nothing to post")

// Posting is one line of the books.
type Posting struct {
	Seq    int
	Text   string
	Amount int64
}

// Ledger is the book of one account.
type Ledger struct {
	owner   string
	balance int64
	seq     int
}

// Open returns an empty ledger.
func Open(owner string) *Ledger {
	return &Ledger{owner: owner}
}

// Post books an amount.
func (l *Ledger) Post(text string, amount int64) (Posting, error) {
	if amount == 0 {
		return Posting{}, ErrEmpty
	}
	l.balance += amount //race:Ledger.balance
	seq := l.next()
	return Posting{Seq: seq, Text: text, Amount: amount}, nil
}

func (l *Ledger) next() int {
	l.seq++      //race:Ledger.seq
	return l.seq //race:Ledger.seq
}

// Balance is the sum of all postings.
func (l *Ledger) Balance() int64 {
	return l.balance //race:Ledger.balance
}

// String is for people.
func (l *Ledger) String() string {
	return fmt.Sprintf("%s: %d.%02d", l.owner, l.Balance()/100, l.Balance()%100)
}
