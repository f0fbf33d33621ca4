package trace

import (
	"sync/atomic"
	"time"
)

// Sampler decides which spans are kept.
type Sampler struct {
	oneIn   uint64
	maxTags uint64
	seen    uint64
}

// NewSampler keeps one span in n.
func NewSampler(n uint64) *Sampler {
	return &Sampler{oneIn: n, maxTags: 16}
}

// Configure changes the settings while the service runs.
func (s *Sampler) Configure(n, tags uint64) {
	atomic.StoreUint64(&s.oneIn, n)      //race:Sampler.oneIn
	atomic.StoreUint64(&s.maxTags, tags) //race:Sampler.maxTags
}

// Keep says whether a span is kept, and cuts its tags off.
func (s *Sampler) Keep(span uint64, tags []string) ([]string, bool) {
	n := s.oneIn //race:Sampler.oneIn
	if n == 0 || span%n != 0 {
		return nil, false
	}
	limit := s.maxTags //race:Sampler.maxTags
	if uint64(len(tags)) > limit {
		tags = tags[:limit]
	}
	return tags, true
}

// Load makes spans for a while.
func Load(s *Sampler, spans int) {
	for i := 0; i < spans; i++ {
		s.Keep(uint64(i), []string{"a", "b"})
		time.Sleep(time.Millisecond)
	}
}
