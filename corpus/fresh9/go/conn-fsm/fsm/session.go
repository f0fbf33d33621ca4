package fsm

import (
	"fmt"
	"time"
)

// Session with one neighbour.
type Session struct {
	Neighbour string
	ASN       uint32

	state  State
	events chan Event
	done   chan struct{}
}

// NewSession starts the goroutine of a session.
func NewSession(neighbour string, asn uint32) *Session {
	s := &Session{
		Neighbour: neighbour,
		ASN:       asn,
		events:    make(chan Event, 16),
		done:      make(chan struct{}),
	}
	go s.loop()
	return s
}

func (s *Session) loop() {
	defer close(s.done)
	for ev := range s.events {
		s.transition(ev)
		time.Sleep(500 * time.Microsecond)
	}
}

func (s *Session) transition(ev Event) {
	to, ok := next[s.state][ev]
	if !ok {
		to = Idle
	}
	s.state = to //race:Session.state
}

// Post queues an event.
func (s *Session) Post(evs ...Event) {
	for _, ev := range evs {
		s.events <- ev
	}
}

// Summary is a line of `show neighbours`.
func (s *Session) Summary() string {
	return fmt.Sprintf("%-16s AS%-6d %s", s.Neighbour, s.ASN, s.state) //race:Session.state
}

// Close ends the session.
func (s *Session) Close() {
	close(s.events)
	<-s.done
}
