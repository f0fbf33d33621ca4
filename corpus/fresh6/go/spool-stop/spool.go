package main

import "time"

type doc struct {
	name  string
	pages int
}

type spooler struct {
	docs    chan doc
	quit    chan struct{}
	written int
}

func startSpooler() *spooler {
	s := &spooler{docs: make(chan doc, 8), quit: make(chan struct{})}
	go s.loop()
	return s
}

func (s *spooler) loop() {
	for {
		select {
		case d := <-s.docs:
			s.write(d)
		case <-s.quit:
			return
		}
	}
}

func (s *spooler) write(d doc) {
	for p := 0; p < d.pages; p++ {
		time.Sleep(300 * time.Microsecond)
		s.written++ //race:spooler.written
	}
}

func (s *spooler) Submit(d doc) { s.docs <- d }

func (s *spooler) Stop() { close(s.quit) }

// Pages is what was written until the spooler was stopped.
func (s *spooler) Pages() int { return s.written } //race:spooler.written
