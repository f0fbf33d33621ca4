// Package sessions keeps who is logged in.
package sessions

import (
	"fmt"
	"sync"
	"time"
)

type Session struct {
	User     string
	opened   time.Time
	lastSeen int64
	requests int
}

// Store is safe for use by several handlers.
type Store struct {
	sync.RWMutex
	ttl     time.Duration
	next    int
	byToken map[string]*Session
}

func NewStore(ttl time.Duration) *Store {
	return &Store{ttl: ttl, byToken: make(map[string]*Session)}
}

func (st *Store) Begin(user string) string {
	st.Lock()
	defer st.Unlock()
	st.next++
	tok := fmt.Sprintf("t%04d", st.next)
	now := time.Now()
	st.byToken[tok] = &Session{User: user, opened: now, lastSeen: now.UnixNano()}
	return tok
}

// Lookup finds a session that has not expired.
func (st *Store) Lookup(token string) (*Session, bool) {
	st.RLock()
	defer st.RUnlock()
	s, ok := st.byToken[token]
	if !ok {
		return nil, false
	}
	now := time.Now().UnixNano()
	if now-s.lastSeen > int64(st.ttl) { //race:Session.lastSeen
		return nil, false
	}
	s.lastSeen = now //race:Session.lastSeen
	s.requests++     //race:Session.requests
	return s, true
}

// Expire drops sessions that were not used for long.
func (st *Store) Expire(now time.Time) int {
	st.Lock()
	defer st.Unlock()
	dropped := 0
	for tok, s := range st.byToken {
		if now.UnixNano()-s.lastSeen > int64(st.ttl) {
			delete(st.byToken, tok)
			dropped++
		}
	}
	return dropped
}
