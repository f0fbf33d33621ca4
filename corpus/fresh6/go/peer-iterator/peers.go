package main

import (
	"iter"
	"sync"
	"time"
)

type peer struct {
	id   string
	seen time.Time
}

type peerSet struct {
	mu    sync.Mutex
	peers map[string]*peer
}

func newPeerSet() *peerSet {
	return &peerSet{peers: make(map[string]*peer)}
}

func (s *peerSet) touch(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peers[id] = &peer{id: id, seen: time.Now()} //race:peerSet.peers[]
}

func (s *peerSet) drop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.peers, id) //race:peerSet.peers[]
}

// each gives all peers.
func (s *peerSet) each() iter.Seq[*peer] {
	return func(yield func(*peer) bool) {
		for _, p := range s.peers { //race:peerSet.peers[]
			if !yield(p) {
				return
			}
		}
	}
}
