// Package lsm keeps sorted tables in levels.
package lsm

import "bytes"

// Table is one sorted file.
type Table struct {
	Number   uint64
	Min, Max []byte
	Size     int64
}

func (t Table) overlaps(lo, hi []byte) bool {
	return bytes.Compare(t.Max, lo) >= 0 && bytes.Compare(t.Min, hi) <= 0
}

type level struct {
	tables []Table
	target int64
}

func (l *level) install(t Table) {
	l.tables = append(l.tables, t) //race:level.tables
}

// overlapping lists the tables that share keys with a range.
func (l *level) overlapping(lo, hi []byte) []Table {
	var out []Table
	for _, t := range l.tables { //race:level.tables
		if t.overlaps(lo, hi) {
			out = append(out, t)
		}
	}
	return out
}
