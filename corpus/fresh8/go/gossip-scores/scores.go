package main

import (
	"fmt"
	"time"
)

type peerID string

type offence struct {
	peer peerID
	cost int
}

// scoreboard says how far peers can be trusted.
type scoreboard struct {
	scores map[peerID]int
	floor  int
}

func (b *scoreboard) punish(o offence) {
	b.scores[o.peer] -= o.cost //race:scoreboard.scores[]
}

func (b *scoreboard) trusted(p peerID) bool {
	return b.scores[p] > b.floor //race:scoreboard.scores[]
}

type scheduler struct {
	board *scoreboard
	peers []peerID
	asked int
}

func (s *scheduler) pick() peerID {
	for _, p := range s.peers {
		if s.board.trusted(p) {
			s.asked++
			return p
		}
	}
	return ""
}

type network struct {
	board *scoreboard
}

func (n *network) listen(in []offence, done chan<- struct{}) {
	for _, o := range in {
		n.board.punish(o)
		time.Sleep(time.Millisecond)
	}
	done <- struct{}{}
}

func main() {
	board := &scoreboard{scores: map[peerID]int{"a": 10, "b": 10, "c": 10}}
	s := &scheduler{board: board, peers: []peerID{"a", "b", "c"}}
	done := make(chan struct{})
	go (&network{board}).listen([]offence{{"a", 20}, {"b", 1}}, done)
	time.Sleep(500 * time.Microsecond)
	s.pick()
	<-done
	fmt.Println("asked", s.asked >= 0)
}
