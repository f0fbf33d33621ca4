package main

import "time"

// bucket is a token bucket that refills with time.
type bucket struct {
	rate   float64
	burst  float64
	level  float64
	filled time.Time
}

func newBucket(rate, burst float64) *bucket {
	return &bucket{rate: rate, burst: burst, level: burst, filled: time.Now()}
}

func (b *bucket) refill(now time.Time) {
	elapsed := now.Sub(b.filled)          //race:bucket.filled
	b.level += elapsed.Seconds() * b.rate //race:bucket.level
	if b.level > b.burst {                //race:bucket.level
		b.level = b.burst //race:bucket.level
	}
	b.filled = now //race:bucket.filled
}

func (b *bucket) take(n float64) bool {
	b.refill(time.Now())
	if b.level < n { //race:bucket.level
		return false
	}
	b.level -= n //race:bucket.level
	return true
}
