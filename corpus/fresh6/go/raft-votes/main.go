package main

import (
	"fmt"
	"time"
)

type transport struct {
	peers map[string]*node
}

func (t transport) requestVote(to string, req voteRequest) <-chan voteReply {
	out := make(chan voteReply, 1)
	go func() {
		out <- t.peers[to].handleVote(req)
	}()
	return out
}

func main() {
	n := &node{id: "n1", heard: make(chan struct{})}
	stop := make(chan struct{})
	go n.electionLoop(2*time.Millisecond, stop)

	tr := transport{peers: map[string]*node{"n1": n}}
	granted := 0
	for term := uint64(1); term < 12; term += 2 {
		r := <-tr.requestVote("n1", voteRequest{term: term * 3, candidate: "n2"})
		if r.granted {
			granted++
		}
		time.Sleep(time.Millisecond)
	}
	close(stop)
	time.Sleep(2 * time.Millisecond)
	fmt.Println("granted", granted)
}
