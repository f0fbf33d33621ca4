package part

import (
	"sync"
	"sync/atomic"
)

// scanner runs one scan.
type scanner struct {
	group sync.WaitGroup
	found atomic.Int64
}

func (s *scanner) run(p Partition, f Filter) {
	s.group.Add(1) //race:scanner.group
	defer s.group.Done()
	s.found.Add(p.count(f))
}

// Scan counts the wanted rows of all partitions.
func Scan(parts []Partition, f Filter) int64 {
	var s scanner
	for _, p := range parts {
		go s.run(p.open(), f)
	}
	s.group.Wait() //race:scanner.group
	return s.found.Load()
}
