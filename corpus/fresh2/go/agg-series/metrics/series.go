// Package metrics sums up samples.
package metrics

import "sync/atomic"

// Point is a window of a series.
type Point struct {
	Count int64
	Peak  int64
}

// Series is a stream of samples.
type Series struct {
	name  string
	count int64
	peak  int64
}

// Observe takes a sample.
func (s *Series) Observe(v int64) {
	atomic.AddInt64(&s.count, 1) //race:Series.count
	for {
		old := atomic.LoadInt64(&s.peak)                             //race:Series.peak
		if v <= old || atomic.CompareAndSwapInt64(&s.peak, old, v) { //race:Series.peak
			return
		}
	}
}

// Flush ends a window.
func (s *Series) Flush() Point {
	p := Point{}
	p.Count = s.count //race:Series.count
	p.Peak = s.peak   //race:Series.peak
	s.count = 0       //race:Series.count
	s.peak = 0        //race:Series.peak
	return p
}
