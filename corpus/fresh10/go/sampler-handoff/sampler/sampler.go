// Package sampler groups readings and hands the groups over.
package sampler

import "context"

// Batch is a group of readings of one probe.
type Batch struct {
	Probe  string
	Count  int
	Lowest float64
}

// Reading is one measurement.
type Reading struct {
	Probe string
	Value float64
}

// Sampler collects readings into batches.
type Sampler struct {
	size int
	out  chan *Batch
}

// New makes a sampler whose batches have some readings.
func New(size int) *Sampler {
	return &Sampler{size: size, out: make(chan *Batch)}
}

// Batches is where they come out.
func (s *Sampler) Batches() <-chan *Batch { return s.out }

// Run groups readings until there are no more.
func (s *Sampler) Run(ctx context.Context, in <-chan Reading) error {
	defer close(s.out)
	current := &Batch{}
	for r := range in {
		current.Probe = r.Probe
		current.Count++ //race:Batch.Count
		if current.Count == 1 || r.Value < current.Lowest {
			current.Lowest = r.Value
		}
		if current.Count < s.size {
			continue
		}
		select {
		case s.out <- current:
		case <-ctx.Done():
			return ctx.Err()
		}
		current.Count = 0 //race:Batch.Count
	}
	return nil
}
