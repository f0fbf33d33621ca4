package main

import (
	"sync"
	"time"
)

type windowUpdate struct {
	stream uint32
	delta  int
}

type stream struct {
	id     uint32
	mu     sync.Mutex
	credit int
	sent   int
}

type muxConn struct {
	mu      sync.RWMutex
	streams map[uint32]*stream
	updates chan windowUpdate
}

func newMuxConn() *muxConn {
	return &muxConn{streams: make(map[uint32]*stream), updates: make(chan windowUpdate, 4)}
}

func (c *muxConn) open(id uint32, credit int) *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &stream{id: id, credit: credit}
	c.streams[id] = s
	return s
}

func (c *muxConn) readLoop() {
	for u := range c.updates {
		c.mu.Lock()
		if s, ok := c.streams[u.stream]; ok {
			s.credit += u.delta //race:stream.credit
		}
		c.mu.Unlock()
	}
}

// send writes as much as the window allows.
func (s *stream) send(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.credit { //race:stream.credit
		n = s.credit //race:stream.credit
	}
	s.credit -= n //race:stream.credit
	s.sent += n
	return n
}

func (s *stream) sendAll(total int) {
	for total > 0 {
		n := s.send(64)
		total -= n
		if n == 0 {
			time.Sleep(200 * time.Microsecond)
		}
	}
}
