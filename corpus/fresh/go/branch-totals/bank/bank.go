// Package bank books what the branches take in.
package bank

import (
	"fmt"
	"sync"
	"time"
)

// Bank is all branches together.
type Bank struct {
	branches map[string]*Branch
	total    int64
}

// Branch is one house.
type Branch struct {
	bank   *Bank
	mu     sync.Mutex
	name   string
	cents  int64
	booked int
}

// New returns a bank with branches.
func New(names ...string) *Bank {
	b := &Bank{branches: make(map[string]*Branch)}
	for _, name := range names {
		b.branches[name] = &Branch{bank: b, name: name}
	}
	return b
}

// Branch returns the branch with a name.
func (b *Bank) Branch(name string) (*Branch, error) {
	if br, ok := b.branches[name]; ok {
		return br, nil
	}
	return nil, fmt.Errorf("bank: no branch %q", name)
}

// Deposit books an amount.
func (br *Branch) Deposit(cents int64) {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.cents += cents
	br.booked++
	br.bank.total += cents //race:Bank.total
}

// Till books many amounts, one after the other.
func (br *Branch) Till(amounts ...int64) {
	for _, cents := range amounts {
		time.Sleep(time.Millisecond)
		br.Deposit(cents)
	}
}
