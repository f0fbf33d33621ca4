// Package limiter refuses what is too much.
package limiter

// Server refuses requests beyond a limit.
type Server struct {
	limits map[string]int
	mode   string
}

// Launch returns a server without limits.
func Launch() *Server {
	return &Server{limits: map[string]int{}, mode: "soft"}
}

// SetLimit changes a limit.
func (s *Server) SetLimit(name string, n int) {
	s.limits[name] = n //race:server.limits[]
}

// SetMode changes what happens beyond a limit.
func (s *Server) SetMode(mode string) {
	s.mode = mode //race:server.mode
}

// Allow says whether a request is within its limit.
func (s *Server) Allow(name string, n int) bool {
	limit, ok := s.limits[name] //race:server.limits[]
	return !ok || n <= limit
}

// Shut ends the server.
func (s *Server) Shut() {}
