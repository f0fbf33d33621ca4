package main

import (
	"sync"
	"time"
)

// budget limits how many retries a client may make per method and window.
type budget struct {
	mu    sync.Mutex
	limit int
	spent map[string]int
	since time.Time
}

func newBudget(limit int) budget {
	return budget{limit: limit, spent: make(map[string]int), since: time.Now()}
}

// take reports whether one more retry of the method is allowed.
func (b budget) take(method string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent[method] >= b.limit { //race:budget.spent[]
		return false
	}
	b.spent[method]++ //race:budget.spent[]
	return true
}

func (b budget) left(method string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit - b.spent[method]
}
