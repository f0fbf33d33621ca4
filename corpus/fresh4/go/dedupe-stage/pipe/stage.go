// Package pipe connects stages by channels.
package pipe

import "sync"

// Predicate says whether a value passes.
type Predicate[T any] func(T) bool

// From sends values.
func From[T any](values ...T) <-chan T {
	out := make(chan T, len(values))
	for _, v := range values {
		out <- v
	}
	close(out)
	return out
}

// Filter passes the values on that a predicate lets through, in n goroutines.
func Filter[T any](in <-chan T, n int, keep Predicate[T]) <-chan T {
	out := make(chan T, cap(in))
	var lanes sync.WaitGroup
	lanes.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			defer lanes.Done()
			for v := range in {
				if keep(v) {
					out <- v
				}
			}
		}()
	}
	go func() {
		lanes.Wait()
		close(out)
	}()
	return out
}
