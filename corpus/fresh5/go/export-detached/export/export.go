package export

import (
	"strconv"
	"time"
)

// Source has rows.
type Source interface {
	Next() (row string, ok bool)
}

// Slow is a source that takes its time.
type Slow struct {
	Each time.Duration
}

// Next is the next row.
func (s Slow) Next() (string, bool) {
	time.Sleep(s.Each)
	return "row", true
}

// Summary says what was exported.
type Summary struct {
	rows  int
	bytes int
}

// Line is the summary for the log.
func (s *Summary) Line() string {
	rows := s.rows   //race:Summary.rows
	bytes := s.bytes //race:Summary.bytes
	return strconv.Itoa(rows) + " rows, " + strconv.Itoa(bytes) + " bytes"
}

func (s *Summary) add(row string) {
	s.rows++            //race:Summary.rows
	s.bytes += len(row) //race:Summary.bytes
}

// Run exports until the source is empty or the time is over.
func Run(src Source, limit time.Duration) *Summary {
	sum := new(Summary)
	end := make(chan struct{})
	go func() {
		defer close(end)
		for i := 0; i < 14; i++ {
			row, ok := src.Next()
			if !ok {
				return
			}
			sum.add(row)
		}
	}()
	select {
	case <-end:
	case <-time.After(limit):
	}
	return sum
}
