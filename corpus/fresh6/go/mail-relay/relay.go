package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

type session struct {
	id   int64
	from string
	rcpt []string
}

type relay struct {
	next     int64
	sessions map[int64]*session
	accepted chan *session
	closing  chan struct{}
}

func newRelay() *relay {
	r := &relay{
		sessions: make(map[int64]*session),
		accepted: make(chan *session, 8),
		closing:  make(chan struct{}),
	}
	return r
}

func (r *relay) open() *session {
	s := &session{id: atomic.AddInt64(&r.next, 1)}
	r.sessions[s.id] = s
	return s
}

func (r *relay) command(s *session, line string) (reply string, quit bool) {
	verb, arg, _ := strings.Cut(line, ":")
	switch strings.ToUpper(strings.TrimSpace(verb)) {
	case "MAIL FROM":
		s.from = arg
	case "RCPT TO":
		s.rcpt = append(s.rcpt, arg)
	case "QUIT":
		return "221 bye", true
	default:
		return "500 what?", false
	}
	return "250 ok", false
}

func (r *relay) talk(s *session, in io.Reader, out io.Writer) {
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		reply, quit := r.command(s, sc.Text())
		fmt.Fprintln(out, reply)
		if quit {
			break
		}
		time.Sleep(300 * time.Microsecond)
	}
	r.forget(s)
}

func (r *relay) forget(s *session) {
	delete(r.sessions, s.id) //race:relay.sessions
}

// Shutdown ends all sessions.
func (r *relay) Shutdown() int {
	close(r.closing)
	n := len(r.sessions)                  //race:relay.sessions
	r.sessions = make(map[int64]*session) //race:relay.sessions
	return n
}
