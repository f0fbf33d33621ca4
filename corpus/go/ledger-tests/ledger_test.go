package ledger

import (
	"testing"

	"github.com/deadheat-corpus/ledger/hammer"
)

func TestDeposit(t *testing.T) {
	a := &Account{}
	hammer.Run(t, func() { a.Deposit(1) }, func() { a.Deposit(2) })
}

func TestRename(t *testing.T) {
	a := &Account{}
	hammer.Run(t, func() { a.Rename("ada") }, func() { a.Rename("eve") })
}

func TestRaise(t *testing.T) {
	a := &Account{}
	hammer.Run(t, func() { a.Raise(100) }, func() { a.Allows(5) })
}
