// Package idle ends sessions that nobody uses.
package idle

import (
	"errors"
	"time"
)

// The reasons for which a session ends.
var (
	ErrIdle   = errors.New("idle: nobody was there")
	ErrClosed = errors.New("idle: closed")
)

// Backend frees what a session holds; it takes a while.
type Backend interface {
	Free(id string)
}

// Session is ended when it is idle for too long.
type Session struct {
	id      string
	backend Backend
	timer   *time.Timer
	reason  error
}

// Open returns a session.
func Open(id string, limit time.Duration, b Backend) *Session {
	s := &Session{id: id, backend: b}
	s.timer = time.AfterFunc(limit, s.onIdle)
	return s
}

func (s *Session) onIdle() {
	s.backend.Free(s.id)
	s.reason = ErrIdle //race:Session.reason
}

// Close ends the session.
func (s *Session) Close() error {
	s.timer.Stop()
	s.reason = ErrClosed //race:Session.reason
	return s.reason
}
