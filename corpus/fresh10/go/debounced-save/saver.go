package main

import (
	"sync"
	"time"
)

// saver writes a document a while after it was changed, once for many changes.
type saver struct {
	delay time.Duration

	mu      sync.Mutex
	waiting bool
	times   int
	idle    *sync.Cond
}

func newSaver(delay time.Duration) *saver {
	s := &saver{delay: delay}
	s.idle = sync.NewCond(&s.mu)
	return s
}

func (s *saver) soon(d *document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting {
		return
	}
	s.waiting = true
	time.AfterFunc(s.delay, func() { s.write(d) })
}

func (s *saver) write(d *document) {
	text := d.header()
	s.mu.Lock()
	defer s.mu.Unlock()
	if text != "" {
		s.times++
	}
	s.waiting = false
	s.idle.Broadcast()
}

func (s *saver) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waiting {
		s.idle.Wait()
	}
}
