package transport

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/raftnode/raft"
)

func healthy(n *raft.Node) bool {
	return n.Status().Leader != 0
}

func TestStatus(t *testing.T) {
	n := &raft.Node{}
	p := NewPeer(n)
	p.Send(raft.Message{From: 2, Term: 5, Index: 9})
	time.Sleep(30 * time.Millisecond)
	t.Log(healthy(n))
}
