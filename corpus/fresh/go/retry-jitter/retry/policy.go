// Package retry tries again, with pauses that grow and differ.
package retry

import (
	"context"
	"math/rand"
	"time"
)

// Policy says how long to wait.
type Policy struct {
	base time.Duration
	max  time.Duration
	rng  *rand.Rand
}

// NewPolicy returns a policy whose jitter depends on the seed.
func NewPolicy(base, max time.Duration, seed int64) *Policy {
	return &Policy{base: base, max: max, rng: rand.New(rand.NewSource(seed))}
}

func (p *Policy) delay(attempt int) time.Duration {
	d := p.base << attempt
	if d > p.max {
		d = p.max
	}
	return d/2 + p.jitter(d/2)
}

func (p *Policy) jitter(d time.Duration) time.Duration {
	return time.Duration(p.rng.Int63n(int64(d) + 1)) //race:Policy.rng
}

// Do calls until it succeeds, or too often.
func (p *Policy) Do(ctx context.Context, attempts int, call func(context.Context) error) error {
	var err error
	for i := 0; i < attempts; i++ {
		if err = call(ctx); err == nil {
			return nil
		}
		time.Sleep(p.delay(i))
	}
	return err
}
