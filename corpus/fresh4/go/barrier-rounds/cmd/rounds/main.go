package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/barrierrounds/rounds"
)

type match struct {
	*rounds.Barrier
	rounds int
}

func (m match) run(pause time.Duration) {
	for i := 0; i < m.rounds; i++ {
		m.Kickoff(3)
		go m.Referee(3 * time.Millisecond)
		time.Sleep(pause)
	}
}

func main() {
	b := rounds.Pace(8 * time.Millisecond)
	match{b, 2}.run(25 * time.Millisecond)
	fmt.Println("full time")
}
