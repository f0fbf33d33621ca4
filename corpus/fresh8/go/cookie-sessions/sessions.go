package main

import (
	"fmt"
	"sync"
	"time"
)

type session struct {
	user    string
	expires int64
}

type sessionStore struct {
	mu   sync.Mutex
	byID map[string]*session
	ttl  int64
}

func (s *sessionStore) open(id, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[id] = &session{user: user, expires: s.ttl}
}

// resume finds a session and lets it live longer.
func (s *sessionStore) resume(id string, now int64) (string, bool) {
	s.mu.Lock()
	found, ok := s.byID[id]
	s.mu.Unlock()
	if !ok {
		return "", false
	}
	found.expires = now + s.ttl //race:session.expires
	return found.user, true
}

func (s *sessionStore) sweep(now int64) (gone int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, one := range s.byID {
		if one.expires < now { //race:session.expires
			delete(s.byID, id)
			gone++
		}
	}
	return gone
}

func main() {
	s := &sessionStore{byID: map[string]*session{}, ttl: 1800}
	s.open("c0ffee", "ada")
	s.open("bead", "grace")
	done := make(chan int)
	go func() {
		total := 0
		for i := int64(0); i < 6; i++ {
			total += s.sweep(i)
			time.Sleep(300 * time.Microsecond)
		}
		done <- total
	}()
	for i := int64(0); i < 6; i++ {
		s.resume("c0ffee", i)
		time.Sleep(200 * time.Microsecond)
	}
	fmt.Println("expired", <-done)
}
