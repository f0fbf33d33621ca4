// Package teller serves customers.
package teller

import "github.com/deadheat-corpus/bank/bank"

// Teller works for a bank.
type Teller struct {
	Bank *bank.Bank
}

// Serve runs one order.
func (t *Teller) Serve(order string) {
	switch order {
	case "move":
		t.Bank.Transfer("a", "b", 500)
	default:
		t.print("b")
	}
}

func (t *Teller) print(name string) {
	_, lines := t.Bank.Report(name)
	_ = lines
}
