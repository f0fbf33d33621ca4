// Package iter has iterators over rows.
package iter

// Row is one row.
type Row []int

// Iterator yields rows until it returns nil.
type Iterator interface {
	Next() Row
	Close()
}

type scan struct {
	rows []Row
	at   int
}

func (s *scan) Next() Row {
	n := s.at             //race:scan.at
	if n >= len(s.rows) { //race:scan.rows
		return nil
	}
	s.at = n + 1     //race:scan.at
	return s.rows[n] //race:scan.rows
}

func (s *scan) Close() {
	s.at = 0     //race:scan.at
	s.rows = nil //race:scan.rows
}

// Scan yields stored rows.
func Scan(rows ...Row) Iterator {
	return &scan{rows: rows}
}
