// Package sqlrun runs statements in a session.
package sqlrun

import (
	"errors"
	"time"

	"github.com/deadheat-corpus/rowsopen/memory"
)

// Row is one record.
type Row []string

// Rows is a result set; it must be closed before the session is used again.
type Rows struct {
	ahead chan Row
	quit  chan struct{}
	done  chan struct{}
}

func openRows(tracker *memory.Tracker, count int) *Rows {
	r := &Rows{
		ahead: make(chan Row, 8),
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go r.prefetch(tracker, count)
	return r
}

func (r *Rows) prefetch(tracker *memory.Tracker, count int) {
	defer close(r.done)
	defer close(r.ahead)
	for i := 0; i < count; i++ {
		time.Sleep(2 * time.Millisecond)
		if !tracker.Consume(512) {
			return
		}
		select {
		case <-r.quit:
			return
		case r.ahead <- Row{"region", "north"}:
		}
	}
}

// Next returns the next row, or nil at the end.
func (r *Rows) Next() Row {
	return <-r.ahead
}

// Close ends the prefetching and waits for it.
func (r *Rows) Close() error {
	select {
	case <-r.quit:
		return errors.New("sqlrun: closed twice")
	default:
	}
	close(r.quit)
	<-r.done
	return nil
}

// Session runs one statement after the other.
type Session struct {
	tracker *memory.Tracker
}

// NewSession returns a session with an account of its own.
func NewSession() *Session {
	return &Session{memory.NewTracker("session", 1<<20)}
}

// Query starts a query.
func (s *Session) Query(sql string, count int) *Rows {
	s.tracker.Reset()
	return openRows(s.tracker, count)
}

// Exec runs a statement that has no rows.
func (s *Session) Exec(sql string) error {
	s.tracker.Reset()
	return nil
}
