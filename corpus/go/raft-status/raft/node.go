// Package raft agrees on a leader.
package raft

// Message is what nodes send each other.
type Message struct {
	From, Term uint64
	Index      uint64
}

// Node is one of a group.
type Node struct {
	id     uint64
	term   uint64
	leader uint64
	commit uint64
}

// Step takes a message in.
func (n *Node) Step(m Message) {
	if m.Term > 0 {
		n.becomeFollower(m.Term, m.From)
	}
	n.advance(m.Index)
}

func (n *Node) becomeFollower(term, leader uint64) {
	n.term = term     //race:Node.term
	n.leader = leader //race:Node.leader
}

func (n *Node) advance(index uint64) {
	n.commit = index //race:Node.commit
}
