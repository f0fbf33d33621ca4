package ring

// Ring keeps the newest values.
type Ring[T any] struct {
	slots []T
	head  int
}

// New returns a ring of n slots.
func New[T any](n int) *Ring[T] {
	return &Ring[T]{slots: make([]T, n)}
}

// Push stores a value over the oldest.
func (r *Ring[T]) Push(v T) {
	r.slots[r.head%len(r.slots)] = v
	r.head++
}

// Drain hands every value to f and empties the ring.
func Drain[K comparable, T any](r *Ring[T], key K, f func(K, T)) {
	for i := 0; i < r.head && i < len(r.slots); i++ {
		f(key, r.slots[i])
	}
	r.head = 0
}
