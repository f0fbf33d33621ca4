package main

import (
	"sync"
	"time"
)

type node struct {
	id       string
	lastBeat int64
	suspect  bool
}

func (n *node) beat(now int64) { n.lastBeat = now } //race:node.lastBeat

func (n *node) silentFor(now int64) int64 {
	return now - n.lastBeat //race:node.lastBeat
}

// membership knows the nodes of a cluster.
type membership struct {
	mu    sync.RWMutex
	nodes map[string]*node
}

func newMembership(ids ...string) *membership {
	m := &membership{nodes: map[string]*node{}}
	now := time.Now().UnixNano()
	for _, id := range ids {
		m.nodes[id] = &node{id: id, lastBeat: now}
	}
	return m
}

func (m *membership) lookup(id string) *node {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.nodes[id]
}

func (m *membership) all() []*node {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := make([]*node, 0, len(m.nodes))
	for _, n := range m.nodes {
		out = append(out, n)
	}
	return out
}

func (m *membership) onBeat(id string) {
	if n := m.lookup(id); n != nil {
		n.beat(time.Now().UnixNano())
	}
}

// sweep returns how many nodes have been silent for too long.
func (m *membership) sweep(limit time.Duration) int {
	now, n := time.Now().UnixNano(), 0
	for _, node := range m.all() {
		node.suspect = node.silentFor(now) > int64(limit)
		if node.suspect {
			n++
		}
	}
	return n
}
