package main

import "time"

type entry struct {
	name  string
	every time.Duration
	next  int64
	run   func()
}

type scheduler struct {
	entries []*entry
	quit    chan struct{}
	done    chan struct{}
}

func newScheduler(entries ...*entry) *scheduler {
	s := &scheduler{entries: entries, quit: make(chan struct{}), done: make(chan struct{})}
	now := time.Now().UnixNano()
	for _, e := range entries {
		e.next = now + int64(e.every)
	}
	return s
}

func (s *scheduler) due(e *entry, now int64) bool { return now >= e.next }

func (s *scheduler) tick(now int64) {
	for _, e := range s.entries {
		if s.due(e, now) {
			e.run()
			e.next = now + int64(e.every) //race:entry.next
		}
	}
}

func (s *scheduler) loop() {
	defer close(s.done)
	for {
		select {
		case <-s.quit:
			return
		case t := <-time.After(200 * time.Microsecond):
			s.tick(t.UnixNano())
		}
	}
}
