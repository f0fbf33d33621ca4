package smtp

import (
	"strings"
	"time"
)

// Server speaks to one client after the other.
type Server struct {
	free       freeList
	transcript strings.Builder
	copies     chan string
}

// NewServer makes a server that keeps so many buffers.
func NewServer(spare int) *Server {
	return &Server{free: make(freeList, spare), copies: make(chan string, 64)}
}

// Handle answers one line of a client.
func (s *Server) Handle(line string) string {
	b := s.free.take()
	n := copy(b.data[:], line) //race:buffer.data
	b.n = n                    //race:buffer.n
	go s.note(b)
	answer := "250 OK"
	if line == "QUIT" {
		answer = "221 Bye"
	}
	s.free.give(b)
	return answer
}

func (s *Server) note(b *buffer) {
	time.Sleep(800 * time.Microsecond)
	n := b.n                       //race:buffer.n
	s.copies <- string(b.data[:n]) //race:buffer.data
}
