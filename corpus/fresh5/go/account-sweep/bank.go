package main

import (
	"sync"
	"time"
)

type book struct {
	cents int64
}

type account struct {
	sync.Mutex
	owner string
	book  *book
}

type bank struct {
	accounts []account
}

func openBank(n int) *bank {
	b := &bank{accounts: make([]account, n)}
	for i := range b.accounts {
		b.accounts[i].book = &book{cents: 1000}
	}
	return b
}

func (b *bank) payIn(to int, times int) {
	acc := &b.accounts[to]
	for i := 0; i < times; i++ {
		acc.deposit(500)
		time.Sleep(time.Millisecond)
	}
}

func (a *account) deposit(cents int64) {
	a.Lock() //race:account.Mutex
	defer a.Unlock()
	a.book.cents += cents //race:book.cents
}

func (b *bank) interest(percent int64) {
	for _, acc := range b.accounts { //race:account.Mutex
		acc.Lock()
		acc.book.cents += acc.book.cents * percent / 100 //race:book.cents
		acc.Unlock()
	}
}
