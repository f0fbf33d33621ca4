// Package ewma has averages in which the past fades.
package ewma

import "math"

// Average is a moving average.
type Average struct {
	value float64
}

// Observe adds a value.
//
//go:noinline
func (a *Average) Observe(v float64) {
	a.value += (v - a.value) / 8
}

// Rounded is the average with two digits.
//
//go:noinline
func (a *Average) Rounded() float64 {
	return math.Round(a.value*100) / 100
}
