package main

import (
	"fmt"
	"sync"
)

// lot is sold to whoever bids most.
type lot struct {
	name  string
	floor int

	mu     sync.Mutex
	high   int
	leader string
}

// accept tells whether a bid is the highest so far, and keeps it.
func (l *lot) accept(cents int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cents < l.floor || cents <= l.high {
		return false
	}
	l.high = cents
	return true
}

func (l *lot) bid(who string, cents int) bool {
	if !l.accept(cents) {
		return false
	}
	l.leader = who //race:lot.leader
	return true
}

// String implements fmt.Stringer.
func (l *lot) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leader == "" { //race:lot.leader
		return l.name + ": no bids"
	}
	return fmt.Sprintf("%s: %d by %s", l.name, l.high, l.leader) //race:lot.leader
}
