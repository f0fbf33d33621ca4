package main

import "time"

type role int

const (
	follower role = iota
	candidate
	leader
)

type voteRequest struct {
	term      uint64
	candidate string
	lastIndex uint64
}

type voteReply struct {
	term    uint64
	granted bool
}

type node struct {
	id        string
	term      uint64
	votedFor  string
	role      role
	lastIndex uint64
	heard     chan struct{}
}

// handleVote answers a candidate.
func (n *node) handleVote(req voteRequest) voteReply {
	if req.term < n.term { //race:node.term
		return voteReply{term: n.term} //race:node.term
	}
	if req.term > n.term { //race:node.term
		n.term = req.term //race:node.term
		n.votedFor = ""   //race:node.votedFor
	}
	granted := n.votedFor == "" && req.lastIndex >= n.lastIndex //race:node.votedFor
	if granted {
		n.votedFor = req.candidate //race:node.votedFor
	}
	return voteReply{term: req.term, granted: granted}
}

func (n *node) campaign() {
	n.role = candidate
	n.term++          //race:node.term
	n.votedFor = n.id //race:node.votedFor
}

func (n *node) electionLoop(timeout time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-n.heard:
		case <-time.After(timeout):
			n.campaign()
		}
	}
}
