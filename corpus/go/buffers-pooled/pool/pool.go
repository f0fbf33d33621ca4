// Package pool lends objects.
package pool

// Pool lends one object of a type.
type Pool[T any] struct {
	free []*T
}

// Lend hands out an object.
func (p *Pool[T]) Lend() *T {
	if n := len(p.free); n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		return x
	}
	return new(T)
}

// Return wipes an object and takes it back.
func (p *Pool[T]) Return(x *T) {
	p.wipe(x)
	p.free = append(p.free, x)
}

func (p *Pool[T]) wipe(x *T) {
	var empty T
	*x = empty
}
