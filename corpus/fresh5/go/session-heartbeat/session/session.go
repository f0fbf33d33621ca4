package session

import "time"

// Session is a connection to a peer that must show signs of life.
type Session struct {
	peer   string
	grace  time.Duration
	missed int
	beat   *time.Timer
	lost   chan string
}

// Open starts to watch a peer.
func Open(peer string, grace time.Duration) *Session {
	s := &Session{peer: peer, grace: grace, lost: make(chan string, 8)}
	s.beat = time.AfterFunc(grace, func() {
		s.miss()
	})
	return s
}

func (s *Session) miss() {
	s.missed++ //race:Session.missed
	time.Sleep(3 * time.Millisecond)
}

// Answered hears from the peer and starts the next beat.
func (s *Session) Answered() {
	s.beat.Stop()
	s.missed = 0 //race:Session.missed
	s.beat.Reset(s.grace)
}
