package exec

import "time"

// Chunk is a batch of rows.
type Chunk struct {
	Rows []int
}

// Executor is an operator of a plan.
type Executor interface {
	Next(c *Chunk) error
}

type baseExecutor struct {
	id    string
	stats *RuntimeStats
}

func (e *baseExecutor) recordNext(c *Chunk) {
	if e.stats != nil {
		e.stats.Record(len(c.Rows))
	}
}

// TableScan reads a table.
type TableScan struct {
	baseExecutor
	left int
}

// Next reads the next chunk.
func (s *TableScan) Next(c *Chunk) error {
	c.Rows = c.Rows[:0]
	for i := 0; i < 4 && s.left > 0; i++ {
		c.Rows = append(c.Rows, s.left)
		s.left--
	}
	time.Sleep(time.Millisecond)
	s.recordNext(c)
	return nil
}
