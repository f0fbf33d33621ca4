// Package pool keeps objects for later.
package pool

import "sync"

// Pool has objects that nobody uses.
type Pool[T any] struct {
	mu   sync.Mutex
	free []*T
	make func() *T
}

// New returns a pool that makes objects when it has none.
func New[T any](make func() *T) *Pool[T] {
	return &Pool[T]{make: make}
}

// Borrow takes an object out.
func (p *Pool[T]) Borrow() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		v := p.free[n-1]
		p.free = p.free[:n-1]
		return v
	}
	return p.make()
}

// Return puts an object back.
func (p *Pool[T]) Return(v *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, v)
}
