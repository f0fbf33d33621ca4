// Package part scans the partitions of a table.
package part

import "time"

// Partition has some rows.
type Partition struct {
	id   int
	rows []int64
}

// Make fills a partition with rows.
func Make(id, n int) Partition {
	p := Partition{id: id, rows: make([]int64, n)}
	for i := range p.rows {
		p.rows[i] = int64(id*n + i)
	}
	return p
}

// Filter says which rows are wanted.
type Filter func(row int64) bool

// open reads the footer of a partition.
func (p Partition) open() Partition {
	time.Sleep(200 * time.Microsecond)
	return p
}

func (p Partition) count(f Filter) int64 {
	time.Sleep(2 * time.Millisecond)
	var n int64
	for _, row := range p.rows {
		if f(row) {
			n++
		}
	}
	return n
}
