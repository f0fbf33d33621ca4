// Package rounds plays a game in rounds.
package rounds

import (
	"sync"
	"time"
)

// Barrier lets players and referees wait for the end of a round.
type Barrier struct {
	team sync.WaitGroup
	turn time.Duration
}

// Pace returns a barrier for rounds of that length.
func Pace(turn time.Duration) *Barrier {
	return &Barrier{turn: turn}
}

// Referee waits for the end of a round.
func (b *Barrier) Referee(after time.Duration) {
	time.Sleep(after)
	b.team.Wait() //race:Barrier.team
	time.Sleep(8 * b.turn)
}

// Kickoff begins a round with n players.
func (b *Barrier) Kickoff(n int) {
	b.team.Add(n) //race:Barrier.team
	for ; n > 0; n-- {
		go b.play()
	}
}

func (b *Barrier) play() {
	defer b.team.Done()
	time.Sleep(b.turn)
}
