// Package mqtt keeps a session with a broker.
package mqtt

import (
	"io"
	"time"
)

// Session pings the broker.
type Session struct {
	conn  io.WriteCloser
	every time.Duration
	quit  chan struct{}
}

// Connect starts a session over a connection.
func Connect(conn io.WriteCloser, every time.Duration) *Session {
	s := &Session{conn: conn, every: every, quit: make(chan struct{})}
	go s.pingLoop()
	return s
}

func (s *Session) pingLoop() {
	for {
		select {
		case <-time.After(s.every):
			if c := s.conn; c != nil { //race:Session.conn
				c.Write([]byte{0xC0, 0x00})
			}
		case <-s.quit:
			return
		}
	}
}

// Close ends the session.
func (s *Session) Close() error {
	err := s.conn.Close()
	s.conn = nil //race:Session.conn
	close(s.quit)
	return err
}
