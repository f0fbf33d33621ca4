package main

import (
	"sync"
	"time"
)

type message struct {
	seq     uint64
	subject string
}

type stream struct {
	mu   sync.Mutex
	msgs []message
}

func (s *stream) append(subject string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq := uint64(len(s.msgs) + 1)
	s.msgs = append(s.msgs, message{seq: seq, subject: subject})
	return seq
}

func (s *stream) last() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uint64(len(s.msgs))
}

type deliverFunc func(c *consumer, seq uint64)

// consumer delivers a stream to one client.
type consumer struct {
	name    string
	src     *stream
	deliver deliverFunc
	acked   uint64
	pending uint64
	window  uint64
	quit    chan struct{}
}

func newConsumer(name string, src *stream, d deliverFunc) *consumer {
	return &consumer{name: name, src: src, deliver: d, window: 4, quit: make(chan struct{})}
}

// ack is called by the connection of the client.
func (c *consumer) ack(seq uint64) {
	if seq > c.acked { //race:consumer.acked
		c.acked = seq //race:consumer.acked
	}
	if c.pending > 0 { //race:consumer.pending
		c.pending-- //race:consumer.pending
	}
}

func (c *consumer) room() bool {
	return c.pending < c.window //race:consumer.pending
}

func (c *consumer) redeliver() {
	next := c.acked + 1 //race:consumer.acked
	for next <= c.src.last() && c.room() {
		c.deliver(c, next)
		c.pending++ //race:consumer.pending
		next++
	}
}

func (c *consumer) loop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-t.C:
			c.redeliver()
		}
	}
}
