// Package bucket limits how often something is done.
package bucket

import (
	"sync"
	"time"
)

// Bucket holds tokens.
type Bucket struct {
	mu     sync.Mutex
	size   float64
	rate   float64
	tokens float64
	denied int
	last   time.Time
}

// New returns a full bucket that gets so many tokens in a second.
func New(size, rate float64) *Bucket {
	return &Bucket{size: size, rate: rate, tokens: size, last: time.Now()}
}

// Take takes tokens if there are enough.
func (b *Bucket) Take(n float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill(time.Now())
	if b.tokens < n {
		b.denied++ //race:Bucket.denied
		return false
	}
	b.tokens -= n //race:Bucket.tokens
	return true
}

func (b *Bucket) refill(now time.Time) {
	gained := now.Sub(b.last).Seconds() * b.rate
	b.last = now
	b.tokens += gained //race:Bucket.tokens
	if b.tokens > b.size {
		b.tokens = b.size //race:Bucket.tokens
	}
}

// Level is how full the bucket is.
func (b *Bucket) Level() float64 {
	return b.tokens / b.size //race:Bucket.tokens
}

// Denied is how often there was too little.
func (b *Bucket) Denied() int {
	return b.denied //race:Bucket.denied
}
