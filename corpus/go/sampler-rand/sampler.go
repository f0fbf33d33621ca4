package sampler

import "math/rand"

// Sampler keeps one trace in n.
type Sampler struct {
	rng *rand.Rand
	n   int
}

// New returns a sampler of one in n.
func New(n int) *Sampler {
	return &Sampler{rng: rand.New(rand.NewSource(1)), n: n}
}

// Keep decides about one trace.
func (s *Sampler) Keep() bool {
	return s.rng.Intn(s.n) == 0 //race:Sampler.rng
}
