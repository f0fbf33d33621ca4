package main

import (
	"fmt"
	"sync"
)

type span struct {
	from, to int
}

type column struct {
	name   string
	values []int64
}

// selection says for each row whether it passes.
type selection struct {
	bits []bool
}

func ranges(rows, workers int) []span {
	size := rows / workers
	var out []span
	for w := 0; w < workers; w++ {
		out = append(out, span{w * size, (w + 1) * size})
	}
	out[workers-1].to = rows - 1
	return out
}

func (s *selection) filter(c *column, part span, limit int64) {
	for row := part.from; row <= part.to; row++ {
		s.bits[row] = c.values[row] > limit //race:selection.bits[]
	}
}

func scan(c *column, limit int64, workers int) int {
	s := &selection{bits: make([]bool, len(c.values))}
	var wg sync.WaitGroup
	for _, part := range ranges(len(c.values), workers) {
		wg.Add(1)
		go func(part span) {
			defer wg.Done()
			s.filter(c, part, limit)
		}(part)
	}
	wg.Wait()
	passed := 0
	for _, bit := range s.bits {
		if bit {
			passed++
		}
	}
	return passed
}

func main() {
	c := &column{name: "price", values: make([]int64, 90)}
	for i := range c.values {
		c.values[i] = int64(i % 17)
	}
	fmt.Println(c.name, scan(c, 8, 3) > 0)
}
