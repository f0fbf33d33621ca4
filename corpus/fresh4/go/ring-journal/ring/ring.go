// Package ring keeps the last few values.
package ring

// Ring keeps as many values as it has slots.
type Ring[T any] struct {
	slots []T
	at    int
}

// Make returns a ring with n slots.
func Make[T any](n int) *Ring[T] {
	return &Ring[T]{slots: make([]T, n)}
}

// Push puts a value in the place of the oldest.
func (r *Ring[T]) Push(v T) {
	i := r.at      //race:Ring.at
	r.slots[i] = v //race:Ring.slots[]
	i = (i + 1) % len(r.slots)
	r.at = i //race:Ring.at
}

// Dump gives the values, the oldest first.
func (r *Ring[T]) Dump() []T {
	start := r.at //race:Ring.at
	out := make([]T, 0, len(r.slots))
	for i := range r.slots {
		v := r.slots[(start+i)%len(r.slots)] //race:Ring.slots[]
		out = append(out, v)
	}
	return out
}
