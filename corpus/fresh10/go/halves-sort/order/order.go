// Package order sorts large columns with two goroutines.
package order

import (
	"cmp"
	"slices"
)

// Small columns are sorted at once.
const small = 32

// Column sorts the values of a column.
func Column[T cmp.Ordered](values []T) {
	if len(values) <= small {
		slices.Sort(values)
		return
	}
	mid := len(values) / 2
	left, right := values[:mid+1], values[mid:]
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		bubble(left)
	}()
	bubble(right)
	<-finished
	slices.Sort(values) // the halves are nearly in order now
}

// bubble moves every value a little towards its place.
func bubble[T cmp.Ordered](part []T) {
	for pass := 0; pass < 4; pass++ {
		for i := len(part) - 1; i > 0; i-- {
			if part[i] < part[i-1] { //race:values[]
				part[i], part[i-1] = part[i-1], part[i] //race:values[]
			}
		}
		for i := 1; i < len(part); i++ {
			if part[i] < part[i-1] { //race:values[]
				part[i], part[i-1] = part[i-1], part[i] //race:values[]
			}
		}
	}
}
