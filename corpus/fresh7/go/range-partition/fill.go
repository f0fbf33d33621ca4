package main

import (
	"fmt"
	"hash/fnv"
	"sync"
)

// span is a half open range of rows.
type span struct{ lo, hi int }

// column is a column of fixed-width values.
type column struct {
	name   string
	values []uint32
}

func split(rows, parts int) []span {
	size := rows / parts
	out := make([]span, 0, parts)
	for p := 0; p < parts; p++ {
		s := span{lo: p * size, hi: (p+1)*size + 1}
		if s.hi > rows {
			s.hi = rows
		}
		out = append(out, s)
	}
	return out
}

func hashRow(seed uint32, row int) uint32 {
	h := fnv.New32a()
	h.Write([]byte{byte(seed), byte(row), byte(row >> 8)})
	return h.Sum32()
}

func (c *column) fill(s span, seed uint32) {
	for row := s.lo; row < s.hi; row++ {
		c.values[row] = hashRow(seed, row) //race:column.values[]
	}
}

func fillColumn(name string, rows, parts int) *column {
	c := &column{name: name, values: make([]uint32, rows)}
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, s := range split(rows, parts) {
		wg.Add(1)
		go func(s span) {
			defer wg.Done()
			<-start
			c.fill(s, 7)
		}(s)
	}
	close(start)
	wg.Wait()
	return c
}

func main() {
	c := fillColumn("bucket", 64, 2)
	fmt.Println(c.name, len(c.values))
}
