package raft

// Status is a copy of a node's state.
type Status struct {
	Term, Leader, Commit uint64
}

// Status copies the state.
func (n *Node) Status() Status {
	var s Status
	s.Term = n.term     //race:Node.term
	s.Leader = n.leader //race:Node.leader
	s.Commit = n.commit //race:Node.commit
	return s
}
