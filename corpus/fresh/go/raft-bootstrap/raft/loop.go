package raft

import (
	"sync/atomic"
	"time"
)

func (n *Node) run() {
	for {
		select {
		case <-n.stop:
			return
		default:
		}
		time.Sleep(n.tick)
		n.onTick()
	}
}

func (n *Node) onTick() {
	n.elapsed++
	if n.elapsed%3 == 0 && n.quorum() == 1 {
		atomic.StoreInt32(&n.state, int32(Leader))
	}
	n.advance(Entry{Index: uint64(n.elapsed)})
}

func (n *Node) quorum() int {
	return len(n.peers)/2 + 1 //race:Node.peers
}

func (n *Node) advance(e Entry) {
	if apply := n.apply; apply != nil { //race:Node.apply
		apply(e)
	}
}
