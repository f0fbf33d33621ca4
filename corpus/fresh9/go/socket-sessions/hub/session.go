package hub

import (
	"errors"
	"io"
	"time"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("session closed")

// Session writes what is queued for one client.
type Session struct {
	id   string
	w    io.WriteCloser
	out  chan []byte
	quit chan struct{}
	beat time.Duration
}

// NewSession starts a session on a connection.
func NewSession(id string, w io.WriteCloser, beat time.Duration) *Session {
	s := &Session{
		id:   id,
		w:    w,
		out:  make(chan []byte, 8),
		quit: make(chan struct{}),
		beat: beat,
	}
	go s.writeLoop()
	return s
}

func (s *Session) writeLoop() {
	tick := time.NewTicker(s.beat)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case msg := <-s.out:
			s.write(msg)
		case <-tick.C:
			s.write([]byte("ping\n"))
		}
	}
}

func (s *Session) write(p []byte) {
	if s.w == nil { //race:Session.w
		return
	}
	_, _ = s.w.Write(p) //race:Session.w
}

// Send queues a message.
func (s *Session) Send(msg string) { s.out <- []byte(msg) }

// Close hangs up.
func (s *Session) Close() error {
	close(s.quit)
	w := s.w
	s.w = nil //race:Session.w
	return w.Close()
}
