package exec

// RuntimeStats is what EXPLAIN ANALYZE shows of an operator.
type RuntimeStats struct {
	rows  int64
	loops int64
}

// Record adds one call of Next.
func (s *RuntimeStats) Record(rows int) {
	s.loops++             //race:RuntimeStats.loops
	s.rows += int64(rows) //race:RuntimeStats.rows
}
