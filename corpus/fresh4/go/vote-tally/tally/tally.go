// Package tally counts words.
package tally

import "sync"

// Tally counts by key.
type Tally struct {
	mu    sync.Mutex
	byKey map[string]int
}

// Of returns an empty tally.
func Of(size int) *Tally {
	return &Tally{byKey: make(map[string]int, size)}
}

// Bump counts a key.
func (t Tally) Bump(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byKey[key]++ //race:Tally.byKey[]
}

// Count says how often a key was counted.
func (t Tally) Count(key string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byKey[key] //race:Tally.byKey[]
}
