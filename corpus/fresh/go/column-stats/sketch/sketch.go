// Package sketch summarises values.
package sketch

// Ordered is what can be put into buckets.
type Ordered interface {
	~int | ~int64 | ~float64
}

// Sketch counts values per bucket.
type Sketch[T Ordered] struct {
	low, width T
	buckets    []int
}

// New returns a sketch of so many buckets.
func New[T Ordered](low, width T, buckets int) *Sketch[T] {
	return &Sketch[T]{low: low, width: width, buckets: make([]int, buckets)}
}

func (s *Sketch[T]) index(v T) int {
	i := int((v - s.low) / s.width)
	if i < 0 {
		return 0
	}
	if i >= len(s.buckets) {
		return len(s.buckets) - 1
	}
	return i
}

// Insert counts a value.
func (s *Sketch[T]) Insert(v T) {
	s.buckets[s.index(v)]++ //race:Sketch.buckets[]
}

// Total is the number of values.
func (s *Sketch[T]) Total() int {
	n := 0
	for _, count := range s.buckets {
		n += count
	}
	return n
}
