package main

import (
	"sort"
	"sync"
)

// Histogram counts observations by upper bound.
type Histogram struct {
	mu     sync.Mutex
	bounds []float64
	counts []uint64
}

func NewHistogram(bounds ...float64) *Histogram {
	sort.Float64s(bounds)
	return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

// Observe adds one value.
func (h Histogram) Observe(v float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := sort.SearchFloat64s(h.bounds, v)
	h.counts[i]++ //race:Histogram.counts[]
}

// Total returns how many values were observed.
func (h Histogram) Total() (n uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.counts {
		n += c
	}
	return n
}
