package exec

import "github.com/deadheat-corpus/memtracker/memory"

// Sort sorts rows and reports what it needs.
type Sort struct {
	rows    []int
	tracker *memory.Tracker
}

// Next sorts the rows.
func (s *Sort) Next() {
	s.fetch()
}

func (s *Sort) fetch() {
	for range s.rows {
		s.spillIfNeeded(8)
	}
}

func (s *Sort) spillIfNeeded(n int64) {
	s.tracker.Consume(n)
}
