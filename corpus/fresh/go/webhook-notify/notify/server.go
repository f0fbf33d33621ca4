// Package notify takes subscriptions and tells others about them.
package notify

import (
	"encoding/json"
	"log"
	"net/http"
	"time"
)

// Subscription is what a client sends.
type Subscription struct {
	URL   string   `json:"url"`
	Kinds []string `json:"kinds"`
}

// Sender tells a URL about an event.
type Sender interface {
	Send(url, event string) error
}

// Server is the API.
type Server struct {
	sender Sender
	logger *log.Logger
	mux    *http.ServeMux
}

// NewServer returns a server that tells others through sender.
func NewServer(sender Sender, logger *log.Logger) *Server {
	s := &Server{sender: sender, logger: logger, mux: http.NewServeMux()}
	s.mux.HandleFunc("/subscriptions", s.create)
	return s
}

// ServeHTTP makes the server a handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.ServeHTTP(w, r)
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	var sub Subscription
	err := json.NewDecoder(r.Body).Decode(&sub)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	go func() {
		err = s.sender.Send(sub.URL, "subscribed") //race:create.err
		if err != nil {
			s.logger.Printf("notify %s: %v", sub.URL, err)
		}
	}()
	s.store(sub)
	w.WriteHeader(http.StatusCreated)
	err = json.NewEncoder(w).Encode(sub) //race:create.err
	if err != nil {
		s.logger.Printf("answer: %v", err)
	}
}

func (s *Server) store(Subscription) {
	time.Sleep(4 * time.Millisecond)
}
