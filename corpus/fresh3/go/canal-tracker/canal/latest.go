package canal

// Latest holds the last value of something and how often it changed.
type Latest[T comparable] struct {
	value T
	count int
}

// Set keeps a value.
func (l *Latest[T]) Set(v T) {
	if l.value != v { //race:Latest.value
		l.value = v //race:Latest.value
		l.count++   //race:Latest.count
	}
}

// Get returns the last value.
func (l *Latest[T]) Get() T {
	return l.value //race:Latest.value
}

// Changes is how often there was another value.
func (l *Latest[T]) Changes() int {
	return l.count //race:Latest.count
}
