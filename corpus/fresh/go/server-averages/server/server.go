// Package server answers requests and measures itself.
package server

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/averages/ewma"
)

// Server has an average for times and one for sizes.
type Server struct {
	latency ewma.Average
	sizes   ewma.Average
}

// Handle answers a request.
func (s *Server) Handle(path string) string {
	begin := time.Now()
	body := fmt.Sprintf("<p>%s</p>", path)
	time.Sleep(2 * time.Millisecond)
	s.measure(time.Since(begin), len(body))
	return body
}

func (s *Server) measure(took time.Duration, size int) {
	s.latency.Observe(took.Seconds()) //race:Server.latency
	s.sizes.Observe(float64(size))    //race:Server.sizes
}

// Report is what the operators see.
func (s *Server) Report() string {
	latency := s.latency.Rounded() //race:Server.latency
	size := s.sizes.Rounded()      //race:Server.sizes
	return fmt.Sprintf("%.4f s, %.1f bytes", latency, size)
}
