package main

import "time"

type counts struct {
	read     int
	rejected int
}

type stage struct {
	name   string
	stats  *counts
	signal chan string
}

func newStage(name string) *stage {
	return &stage{name: name, stats: &counts{}, signal: make(chan string, 4)}
}

func (s *stage) run(rows []string) {
	for i, r := range rows {
		if i == len(rows)/2 {
			s.signal <- s.name
		}
		if r == "" {
			s.stats.rejected++
			continue
		}
		s.stats.read++ //race:counts.read
		time.Sleep(200 * time.Microsecond)
	}
}

func (s *stage) quality() int {
	<-s.signal
	return 100 * s.stats.read / (s.stats.read + 1) //race:counts.read
}
