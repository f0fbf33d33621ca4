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
	r.slots[r.head%len(r.slots)] = v //race:Ring.head,Ring.slots
	r.head++                         //race:Ring.head
}

// Drain hands every value to f and empties the ring.
func Drain[K comparable, T any](r *Ring[T], key K, f func(K, T)) {
	for i := 0; i < r.head && i < len(r.slots); i++ { //race:Ring.head
		f(key, r.slots[i]) //race:Ring.slots
	}
	r.head = 0 //race:Ring.head
}
