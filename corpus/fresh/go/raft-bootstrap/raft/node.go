// Package raft is a small replicated log.
package raft

import (
	"sync/atomic"
	"time"
)

// State is the role of a node.
type State int32

// The roles.
const (
	Follower State = iota
	Candidate
	Leader
)

// Entry is one record of the log.
type Entry struct {
	Term  uint64
	Index uint64
	Data  []byte
}

// ApplyFunc takes an entry that is committed.
type ApplyFunc func(Entry)

// Config says how a node is run.
type Config struct {
	ID    uint64
	Peers []uint64
	Tick  time.Duration
	Apply ApplyFunc
}

// Node is one member of the group.
type Node struct {
	id      uint64
	peers   []uint64
	apply   ApplyFunc
	tick    time.Duration
	state   int32
	elapsed int
	stop    chan struct{}
}

// StartNode brings a node up.
func StartNode(cfg Config) *Node {
	n := &Node{id: cfg.ID, tick: cfg.Tick, stop: make(chan struct{})}
	go n.run()
	restoreSnapshot(cfg.ID)
	n.configure(cfg)
	return n
}

func restoreSnapshot(uint64) {
	time.Sleep(8 * time.Millisecond)
}

func (n *Node) configure(cfg Config) {
	n.peers = append([]uint64{}, cfg.Peers...) //race:Node.peers
	n.apply = cfg.Apply                        //race:Node.apply
}

// Stop ends the loop.
func (n *Node) Stop() {
	close(n.stop)
}

// State returns the role of the node.
func (n *Node) State() State {
	return State(atomic.LoadInt32(&n.state))
}
