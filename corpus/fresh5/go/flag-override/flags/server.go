package flags

import "time"

// newCheckout turns the new checkout on.
var newCheckout = false

// Server answers requests.
type Server struct {
	stop chan struct{}
}

// Serve starts a server.
func Serve() *Server {
	s := &Server{stop: make(chan struct{})}
	go s.serve()
	return s
}

func (s *Server) serve() {
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(time.Millisecond):
			s.checkout()
		}
	}
}

func (s *Server) checkout() string {
	if newCheckout { //race:newCheckout
		return "v2"
	}
	return "v1"
}

// Stop ends the server.
func (s *Server) Stop() {
	close(s.stop)
}
