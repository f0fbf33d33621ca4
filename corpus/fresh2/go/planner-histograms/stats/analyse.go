package stats

import "time"

// Sample reads a part of a table.
type Sample func(part int) (Bucket, bool)

// Analyser fills histograms in the background.
type Analyser struct {
	pause time.Duration
}

// NewAnalyser returns one that rests between parts.
func NewAnalyser(pause time.Duration) *Analyser {
	return &Analyser{pause: pause}
}

// Start analyses a column until the sample has no more parts.
func (a *Analyser) Start(h *Histogram, next Sample) {
	go a.run(h, next)
}

func (a *Analyser) run(h *Histogram, next Sample) {
	for part := 0; ; part++ {
		b, ok := next(part)
		if !ok {
			return
		}
		time.Sleep(a.pause)
		h.Add(b)
	}
}
