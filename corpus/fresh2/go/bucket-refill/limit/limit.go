// Package limit has a bucket for every caller.
package limit

import (
	"sync"

	"github.com/deadheat-corpus/bucketrefill/bucket"
)

// Level is what an operator sees.
type Level struct {
	Full   float64
	Denied int
}

// Limits has the buckets.
type Limits struct {
	mu      sync.RWMutex
	buckets map[string]*bucket.Bucket
	make    func() *bucket.Bucket
}

// New returns limits that make buckets as they are needed.
func New(make_ func() *bucket.Bucket) *Limits {
	return &Limits{buckets: map[string]*bucket.Bucket{}, make: make_}
}

func (l *Limits) of(caller string) *bucket.Bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[caller]
	if b == nil {
		b = l.make()
		l.buckets[caller] = b
	}
	return b
}

// Allow says whether a caller may go on.
func (l *Limits) Allow(caller string) bool {
	return l.of(caller).Take(1)
}

// Levels is for operators.
func (l *Limits) Levels(show func(caller string, level Level)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for caller, b := range l.buckets {
		show(caller, Level{b.Level(), b.Denied()})
	}
}
