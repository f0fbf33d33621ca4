package relay

import (
	"bufio"
	"fmt"
	"net"
	"sync"
)

// Server answers one line to each client.
type Server struct {
	banner   string
	listener net.Listener
	conns    sync.WaitGroup
}

// Start listens on a free port.
func Start(banner string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{banner: banner, listener: l}
	go s.accept()
	return s, nil
}

// Addr is where the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

func (s *Server) accept() {
	for s.listener != nil { //race:Server.listener
		conn, err := s.listener.Accept() //race:Server.listener
		if err != nil {
			continue
		}
		go s.serve(conn)
	}
}

func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	fmt.Fprintf(conn, "220 %s\r\n", s.banner)
	line, _ := bufio.NewReader(conn).ReadString('\n')
	fmt.Fprintf(conn, "250 %d\r\n", len(line))
}

// Stop closes the listener.
func (s *Server) Stop() error {
	l := s.listener
	s.listener = nil //race:Server.listener
	return l.Close()
}
