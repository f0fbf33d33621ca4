// Package report says how much was read.
package report

import "sync/atomic"

// Stats counts what was read.
type Stats struct {
	seen  int32
	since int64
}

func (s *Stats) mark() {
	atomic.AddInt32(&s.seen, 1) //race:Stats.seen
}

// Reporter prints statistics.
type Reporter struct {
	*Stats
	rounds int
}

// NewReporter returns a reporter.
func NewReporter() *Reporter { return &Reporter{Stats: new(Stats)} }

// Read counts a reading and gives the round in which it was.
func (r *Reporter) Read() int {
	r.mark()
	return r.rounds //race:Reporter.rounds
}

// Next begins a round.
func (r *Reporter) Next(now int64) {
	r.rounds++                   //race:Reporter.rounds
	*r.Stats = Stats{since: now} //race:Stats.seen
}
