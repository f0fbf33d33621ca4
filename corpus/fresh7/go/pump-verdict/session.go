package main

import (
	"errors"
	"fmt"
	"time"
)

var errPeerClosed = errors.New("closed by peer")

type frame struct {
	stream int
	data   []byte
}

// session multiplexes streams over one transport.
type session struct {
	frames chan frame
	ended  chan struct{}
	reason error
	total  int
}

func newSession() *session {
	return &session{frames: make(chan frame), ended: make(chan struct{}, 1)}
}

func (s *session) readLoop(in []frame) {
	for _, f := range in {
		s.frames <- f
	}
	s.finish(errPeerClosed)
}

func (s *session) finish(err error) {
	s.ended <- struct{}{}
	s.reason = err //race:session.reason
}

func (s *session) serve() error {
	for {
		select {
		case f := <-s.frames:
			s.total += len(f.data)
		case <-s.ended:
			return s.closeReason()
		}
	}
}

func (s *session) closeReason() error {
	time.Sleep(time.Millisecond)
	return s.reason //race:session.reason
}

func main() {
	s := newSession()
	go s.readLoop([]frame{{1, []byte("hello")}, {2, []byte("world")}})
	err := s.serve()
	fmt.Println("bytes", s.total, err != nil || err == nil)
}
