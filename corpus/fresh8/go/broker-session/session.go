package main

import (
	"errors"
	"fmt"
	"time"
)

type state int

const (
	offline state = iota
	connecting
	online
)

var errOffline = errors.New("not connected")

type ack struct {
	code byte
}

// session is one connection to a message broker.
type session struct {
	clientID string
	state    state
	acks     chan ack
	sent     int
}

func open(id string) *session {
	s := &session{clientID: id, state: connecting, acks: make(chan ack, 4)}
	go s.read()
	return s
}

func (s *session) read() {
	for a := range s.acks {
		if a.code == 0 {
			s.state = online //race:session.state
			continue
		}
		s.state = offline //race:session.state
	}
}

func (s *session) publish(topic string, payload []byte) error {
	if s.state != online { //race:session.state
		return errOffline
	}
	s.sent += len(payload)
	return nil
}

func publishAll(s *session, topics []string) (failed int) {
	for _, t := range topics {
		if err := s.publish(t, []byte("21.5")); err != nil {
			failed++
		}
		time.Sleep(300 * time.Microsecond)
	}
	return failed
}

func main() {
	s := open("sensor-7")
	s.acks <- ack{0}
	failed := publishAll(s, []string{"t/1", "t/2", "t/3", "t/4"})
	s.acks <- ack{1}
	failed += publishAll(s, []string{"t/5", "t/6"})
	fmt.Println("failed at most", failed <= 6)
}
