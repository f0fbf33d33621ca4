// Package server handles requests.
package server

import "github.com/deadheat-corpus/metrics/stats"

// Handler answers one request.
type Handler func(size int64)

// Server counts what its handlers do.
type Server struct {
	Stats stats.Stats
}

func (s *Server) measured(h Handler) Handler {
	return func(size int64) {
		h(size)
		s.finish(size)
	}
}

func (s *Server) finish(size int64) {
	s.Stats.Request(size*3, size)
	s.enqueue()
}

func (s *Server) enqueue() {
	s.Stats.Queue(7)
}

// Serve handles one request of that size.
func (s *Server) Serve(size int64) {
	s.dispatch(s.measured(func(int64) {}), size)
}

func (s *Server) dispatch(h Handler, size int64) {
	h(size)
}
