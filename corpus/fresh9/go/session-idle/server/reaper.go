package server

import (
	"sync"
	"time"
)

// Reaper closes sessions that are idle.
type Reaper struct {
	Limit    time.Duration
	mu       sync.Mutex
	sessions map[string]*Session
	reaped   int
}

// Add watches a session.
func (r *Reaper) Add(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions == nil {
		r.sessions = map[string]*Session{}
	}
	r.sessions[s.id] = s
}

// Sweep closes what is idle for too long.
func (r *Reaper) Sweep(now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, s := range r.sessions {
		if s.idleFor(now) > r.Limit {
			_ = s.conn.Close()
			delete(r.sessions, id)
			r.reaped++
		}
	}
	return r.reaped
}
