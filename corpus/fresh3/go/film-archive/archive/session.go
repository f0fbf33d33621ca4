// Package archive searches a film archive, frame by frame.
package archive

import "time"

// Session is what an archivist works in.
type Session struct {
	store   Store
	tracker *Tracker
	workers int
}

// NewSession returns a session whose memory is charged to a budget.
func NewSession(store Store, budget *Tracker, workers int) *Session {
	return &Session{store: store, tracker: NewTracker("session", budget), workers: workers}
}

// Search runs a statement and looks at its result for so long.
func (s *Session) Search(text string, look time.Duration) (int, error) {
	stmt, err := Parse(text)
	if err != nil {
		return 0, err
	}
	exec := s.open(stmt)
	time.Sleep(look)
	exec.Close()
	return exec.Wait(), nil
}

func (s *Session) open(stmt *Statement) *Executor {
	e := &Executor{
		reels:   s.store.Reels(stmt.Title),
		want:    stmt.Word,
		tracker: NewTracker("search", s.tracker),
		width:   s.workers,
		frames:  make([]Frame, 0, 64),
	}
	e.start()
	return e
}
