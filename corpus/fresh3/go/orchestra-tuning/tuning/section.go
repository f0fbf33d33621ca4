// Package tuning tells an orchestra how far off it is.
package tuning

import (
	"math"
	"time"
)

// Section plays one pitch together.
type Section struct {
	Name  string
	Hertz []float64
	Warm  time.Duration
}

func (s Section) mean() float64 {
	sum := 0.0
	for _, h := range s.Hertz {
		sum += h
	}
	return sum / float64(len(s.Hertz))
}

func (s Section) cents(pitch float64) float64 {
	time.Sleep(s.Warm)
	return 1200 * math.Log2(s.mean()/pitch)
}
