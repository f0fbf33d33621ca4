package rowset

import "iter"

// Set is a list of values.
type Set struct {
	values []int
}

// All yields every value.
func (s *Set) All() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i, v := range s.values {
			if !yield(i, v) {
				return
			}
		}
	}
}

// Sum adds up the values and the bonus.
func (s *Set) Sum(bonus int) int {
	total := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		total += bonus //race:total
	}()
	for _, v := range s.All() {
		total += v //race:total
	}
	<-done
	return total
}
