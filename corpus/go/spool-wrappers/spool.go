package spool

import "time"

// Spool holds messages until they are sent.
type Spool struct {
	last string
}

//go:noinline
func (s *Spool) flush(name string, force bool) {
	s.last = name //race:Spool.last
	if force {
		time.Sleep(time.Millisecond)
	}
}

// Deliver flushes in the background and once more at its end.
func (s *Spool) Deliver(name string) {
	defer s.flush(name+".done", true)
	go s.flush(name, false)
	time.Sleep(20 * time.Millisecond)
}
