// Package session runs the statements of one client connection.
package session

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrKilled is returned by a statement that the watcher has stopped.
var ErrKilled = errors.New("session: statement was killed")

// Session is the server side of one connection.
type Session struct {
	ID        uint64
	User      string
	sql       string
	startedAt time.Time
	kill      chan struct{}
	rows      int
}

// New returns an idle session.
func New(id uint64, user string) *Session {
	return &Session{ID: id, User: user, kill: make(chan struct{}, 1)}
}

// Execute runs one statement to its end.
func (s *Session) Execute(sql string) (int, error) {
	s.begin(strings.TrimSpace(sql))
	n, err := s.dispatch()
	if err != nil {
		return n, fmt.Errorf("session %d: %w", s.ID, err)
	}
	s.rows += n
	return n, nil
}

func (s *Session) begin(sql string) {
	s.sql = sql              //race:Session.sql
	s.startedAt = time.Now() //race:Session.startedAt
}

func (s *Session) dispatch() (int, error) {
	total := 0
	for i := 0; i < 4; i++ {
		select {
		case <-s.kill:
			return total, ErrKilled
		default:
			total += scanRegion(i)
		}
	}
	return total, nil
}

func scanRegion(i int) int {
	time.Sleep(5 * time.Millisecond)
	return 128 << (i % 3)
}

// Digest is the statement that runs, shortened for a list.
func (s *Session) Digest() string {
	text := s.sql //race:Session.sql
	if len(text) > 64 {
		text = text[:61] + "..."
	}
	return text
}

// Running says for how long the statement has been running.
func (s *Session) Running(now time.Time) time.Duration {
	return now.Sub(s.startedAt) //race:Session.startedAt
}

// Kill stops the statement at its next chance.
func (s *Session) Kill() {
	select {
	case s.kill <- struct{}{}:
	default:
	}
}
