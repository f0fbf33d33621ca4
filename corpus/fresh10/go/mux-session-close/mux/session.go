package mux

import "io"

// Session reads frames and gives them to streams.
type Session struct {
	conn    io.ReadCloser
	streams []chan []byte
	lost    chan uint16
}

// NewSession opens n streams on a connection and begins to read.
func NewSession(conn io.ReadCloser, n int) *Session {
	s := &Session{conn: conn, lost: make(chan uint16, 64)}
	for i := 0; i < n; i++ {
		s.streams = append(s.streams, make(chan []byte, 64))
	}
	go s.readLoop()
	return s
}

func (s *Session) readLoop() {
	for {
		f, err := readFrame(s.conn)
		if err != nil {
			return
		}
		s.dispatch(f)
	}
}

func (s *Session) dispatch(f frame) {
	if int(f.stream) >= len(s.streams) { //race:Session.streams
		s.lost <- f.stream
		return
	}
	s.streams[f.stream] <- f.body //race:Session.streams
}

// Close ends the session.
func (s *Session) Close() error {
	s.streams = nil //race:Session.streams
	return s.conn.Close()
}
