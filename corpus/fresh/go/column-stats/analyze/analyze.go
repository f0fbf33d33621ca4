// Package analyze collects the statistics of tables.
package analyze

import (
	"sync"
	"time"

	"github.com/deadheat-corpus/colstats/sketch"
)

// Region is a part of a table.
type Region struct {
	From, To int64
}

// Analyzer reads regions at once.
type Analyzer struct {
	step int64
}

// New returns an analyzer that reads every step-th row.
func New(step int64) *Analyzer {
	return &Analyzer{step: step}
}

// Column returns the sketch of a column.
func (a *Analyzer) Column(regions ...Region) *sketch.Sketch[int64] {
	s := sketch.New[int64](0, 100, 4)
	var wg sync.WaitGroup
	for _, r := range regions {
		wg.Add(1)
		go func(r Region) {
			defer wg.Done()
			a.sample(s, r)
		}(r)
	}
	wg.Wait()
	return s
}

func (a *Analyzer) sample(s *sketch.Sketch[int64], r Region) {
	for row := r.From; row < r.To; row += a.step {
		time.Sleep(time.Millisecond)
		s.Insert(row % 90)
	}
}
