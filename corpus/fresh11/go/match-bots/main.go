// Command lobby plays matches between bots.
package main

import (
	"fmt"
	"time"
)

type match struct {
	score [2]int
	over  chan struct{}
}

func (m *match) bot(team int, think time.Duration) {
	for {
		select {
		case <-m.over:
			return
		default:
		}
		time.Sleep(think)
		m.score[team]++ //race:match.score
	}
}

func play(length time.Duration) *match {
	m := &match{over: make(chan struct{})}
	go m.bot(0, time.Millisecond)
	go m.bot(1, 1500*time.Microsecond)
	time.Sleep(length)
	close(m.over)
	return m
}

func (m *match) winner() string {
	switch {
	case m.score[0] > m.score[1]: //race:match.score
		return "red"
	case m.score[1] > m.score[0]: //race:match.score
		return "blue"
	}
	return "nobody"
}

func main() {
	for round := 0; round < 2; round++ {
		m := play(6 * time.Millisecond)
		fmt.Println(m.winner() != "")
		time.Sleep(4 * time.Millisecond)
	}
}
