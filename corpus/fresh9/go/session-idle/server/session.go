package server

import (
	"io"
	"time"
)

// Session of one client.
type Session struct {
	id         string
	conn       io.ReadWriteCloser
	lastActive time.Time
}

func newSession(id string, conn io.ReadWriteCloser) *Session {
	return &Session{id: id, conn: conn, lastActive: time.Now()}
}

func (s *Session) touch() {
	s.lastActive = time.Now() //race:Session.lastActive
}

func (s *Session) idleFor(now time.Time) time.Duration {
	return now.Sub(s.lastActive) //race:Session.lastActive
}

// serve answers packets until the client goes away.
func (s *Session) serve() error {
	buf := make([]byte, 256)
	for {
		n, err := s.conn.Read(buf)
		if err != nil {
			return err
		}
		s.touch()
		if _, err := s.conn.Write(buf[:n]); err != nil {
			return err
		}
	}
}
