package metrics

import (
	"sync"
	"time"
)

// Flusher is what can end a window.
type Flusher[P any] interface {
	Flush() P
}

// Aggregator ends all windows at the same time.
type Aggregator[P any] struct {
	mu   sync.Mutex
	all  []Flusher[P]
	emit func(P)
}

// NewAggregator returns an aggregator that hands windows on.
func NewAggregator[P any](emit func(P)) *Aggregator[P] {
	return &Aggregator[P]{emit: emit}
}

// Register adds a series.
func (a *Aggregator[P]) Register(f Flusher[P]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, f)
}

// Tick ends windows until it is stopped.
func (a *Aggregator[P]) Tick(every time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(every):
			a.flush()
		}
	}
}

func (a *Aggregator[P]) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.all {
		a.emit(f.Flush())
	}
}
