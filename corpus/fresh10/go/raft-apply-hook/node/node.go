// Package node is one member of a group.
package node

import "time"

// StateMachine takes committed entries.
type StateMachine interface{ Apply(cmd []byte) }

type discard struct{}

func (discard) Apply([]byte) {}

// Node applies what is proposed.
type Node struct {
	id        int
	batch     int
	machine   StateMachine
	proposals chan []byte
	quit      chan struct{}
	gone      chan struct{}
}

// Start makes a node and has it run.
func Start(id int, opts ...Option) *Node {
	n := &Node{
		id:        id,
		machine:   discard{},
		proposals: make(chan []byte, 16),
		quit:      make(chan struct{}),
		gone:      make(chan struct{}),
	}
	go n.applyLoop()
	n.settle()
	for _, opt := range opts {
		opt(n)
	}
	return n
}

// settle proposes the empty entry with which a term begins.
func (n *Node) settle() {
	n.proposals <- nil
	time.Sleep(100 * time.Microsecond)
}

func (n *Node) applyLoop() {
	defer close(n.gone)
	for {
		select {
		case cmd := <-n.proposals:
			n.machine.Apply(cmd) //race:Node.machine
		case <-n.quit:
			return
		}
	}
}

// Propose hands a command in.
func (n *Node) Propose(cmd []byte) { n.proposals <- cmd }

// Stop ends the loop.
func (n *Node) Stop() {
	close(n.quit)
	<-n.gone
}
