package sessions

import "time"

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// Session is a login.
type Session struct {
	clock Clock
	began time.Time
	ttl   time.Duration
}

// Begin begins a session.
func Begin(c Clock, ttl time.Duration) *Session {
	return &Session{clock: c, began: c.Now(), ttl: ttl}
}

// Alive says whether the session has not run out.
func (s *Session) Alive() bool {
	return s.clock.Now().Sub(s.began) < s.ttl
}
