// Package server runs requests.
package server

import "github.com/deadheat-corpus/gauges/gauges"

// Server has gauges.
type Server struct {
	gauges gauges.Gauges
}

// Run runs one request.
func (s *Server) Run(f func()) {
	s.admit()
	f()
}

func (s *Server) admit() {
	s.gauges.Enter()
}

// Healthy tells whether the server keeps up.
func (s *Server) Healthy() bool {
	return s.idle() || s.short()
}

func (s *Server) idle() bool {
	return !s.gauges.Busy()
}

func (s *Server) short() bool {
	return s.gauges.Backlog() < 10
}
