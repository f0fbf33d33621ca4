package ldapsync

import "time"

// Syncer mirrors a directory.
type Syncer struct {
	base  string
	every time.Duration
	runs  int
	stop  chan struct{}
}

// Option changes how a Syncer works.
type Option func(*Syncer)

// Every sets the time between two runs.
func Every(d time.Duration) Option {
	return func(s *Syncer) {
		s.every = d //race:Syncer.every
	}
}

// Base sets where in the tree to start.
func Base(dn string) Option {
	return func(s *Syncer) {
		s.base = dn //race:Syncer.base
	}
}

// New starts to synchronise.
func New(opts ...Option) *Syncer {
	s := &Syncer{base: "dc=example", every: time.Millisecond, stop: make(chan struct{})}
	go s.loop()
	for _, o := range opts {
		time.Sleep(time.Millisecond)
		o(s)
	}
	return s
}

func (s *Syncer) loop() {
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(s.every): //race:Syncer.every
		}
		s.mirror()
	}
}

func (s *Syncer) mirror() {
	dn := s.base //race:Syncer.base
	if dn != "" {
		s.runs++
	}
}

// Close stops the loop.
func (s *Syncer) Close() {
	close(s.stop)
}
