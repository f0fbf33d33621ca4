package main

import (
	"sync"
	"time"
)

type session struct {
	id       string
	user     string
	lastUsed time.Duration
}

// sessionStore keeps sessions until they have been idle for too long.
type sessionStore struct {
	mu    sync.RWMutex
	epoch time.Time
	byID  map[string]*session
}

func newSessionStore() *sessionStore {
	return &sessionStore{epoch: time.Now(), byID: map[string]*session{}}
}

func (s *sessionStore) create(id, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[id] = &session{id: id, user: user, lastUsed: time.Since(s.epoch)}
}

func (s *sessionStore) authenticate(id string) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, ok := s.byID[id]
	if !ok {
		return "", false
	}
	found.lastUsed = time.Since(s.epoch) //race:session.lastUsed
	return found.user, true
}

func (s *sessionStore) expire(idle time.Duration) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, n := time.Since(s.epoch), 0
	for id, one := range s.byID {
		if now-one.lastUsed > idle {
			delete(s.byID, id)
			n++
		}
	}
	return n
}
