// Package transport carries messages between nodes.
package transport

import "github.com/deadheat-corpus/raftnode/raft"

// Peer takes messages for a node.
type Peer struct {
	node *raft.Node
	in   chan raft.Message
}

// NewPeer starts a peer.
func NewPeer(n *raft.Node) *Peer {
	p := &Peer{n, make(chan raft.Message, 1)}
	go p.loop()
	return p
}

func (p *Peer) loop() {
	for m := range p.in {
		p.process(m)
	}
}

func (p *Peer) process(m raft.Message) {
	p.node.Step(m)
}

// Send hands a message over.
func (p *Peer) Send(m raft.Message) {
	p.in <- m
}
