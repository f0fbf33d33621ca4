package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
)

type server struct{ sessions *sessionStore }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, ok := s.sessions.authenticate(r.Header.Get("X-Session"))
	if !ok {
		http.Error(w, "no session", http.StatusUnauthorized)
		return
	}
	fmt.Fprintln(w, "hello", user)
}

func visit(h http.Handler, id string, times int) {
	for i := 0; i < times; i++ {
		r := httptest.NewRequest("GET", "/me", nil)
		r.Header.Set("X-Session", id)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}

func main() {
	store := newSessionStore()
	store.create("s1", "ada")
	srv := &server{sessions: store}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); visit(srv, "s1", 3) }()
	}
	wg.Wait()
	fmt.Println("expired:", store.expire(1<<40))
}
