package gauge

import (
	"fmt"
	"sync"
)

// Session has cursors by number.
type Session struct {
	mu      sync.Mutex
	cursors map[int]*Cursor
	last    int
}

// NewSession returns a session without cursors.
func NewSession() *Session {
	return &Session{cursors: make(map[int]*Cursor)}
}

// Open returns a cursor at the start of a series.
func (s *Session) Open(series *Series) *Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	c := &Cursor{series: series}
	s.cursors[s.last] = c
	return c
}

// Status has a line for each cursor.
func (s *Session) Status() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for number, c := range s.cursors {
		lines = append(lines, fmt.Sprintf("%d: %s, %d left", number, c.series.River, c.Left()))
	}
	return lines
}
