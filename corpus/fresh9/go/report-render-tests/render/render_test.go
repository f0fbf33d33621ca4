package render

import (
	"bytes"
	"testing"
	"time"
)

type suite struct {
	out bytes.Buffer
}

func (s *suite) table(cols ...Column) *Table {
	time.Sleep(time.Millisecond)
	return &Table{Columns: cols, Out: &s.out}
}

func (s *suite) testHeader(t *testing.T) {
	t.Parallel()
	tb := s.table(Column{"NAME", 12}, Column{"AGE", 6})
	if err := tb.Header(); err != nil {
		t.Fatal(err)
	}
}

func (s *suite) testRows(t *testing.T) {
	t.Parallel()
	tb := s.table(Column{"NAME", 12}, Column{"STATUS", 10})
	for i := 0; i < 5; i++ {
		if err := tb.Row("web-0", "Running"); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *suite) testNarrow(t *testing.T) {
	t.Parallel()
	if err := s.table(Column{"X", 1}).Row("long"); err != nil {
		t.Fatal(err)
	}
}

func TestTable(t *testing.T) {
	s := new(suite)
	t.Run("Header", s.testHeader)
	t.Run("Rows", s.testRows)
	t.Run("Narrow", s.testNarrow)
}
