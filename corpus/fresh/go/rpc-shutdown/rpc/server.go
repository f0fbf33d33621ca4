// Package rpc calls methods over connections.
package rpc

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Call is one request of a client.
type Call struct {
	Method string
	Arg    string
	Reply  chan string
}

// Method answers a call.
type Method func(arg string) (string, error)

// Codec turns values into text.
type Codec interface {
	Encode(v string) string
}

type upper struct{}

func (upper) Encode(v string) string { return strings.ToUpper(v) }

// Server knows all services.
type Server struct {
	services map[string]Method
	codec    Codec
	calls    chan Call
}

// NewServer returns a server for some services.
func NewServer(services map[string]Method) *Server {
	return &Server{services: services, codec: upper{}, calls: make(chan Call, 8)}
}

// Serve answers the calls of one connection.
func (s *Server) Serve() {
	for c := range s.calls {
		c.Reply <- s.answer(c)
	}
}

func (s *Server) answer(c Call) string {
	method, err := s.find(c.Method)
	if err != nil {
		return err.Error()
	}
	time.Sleep(2 * time.Millisecond)
	v, err := method(c.Arg)
	if err != nil {
		return err.Error()
	}
	return s.encode(v)
}

var errNoMethod = errors.New("rpc: no such method")

func (s *Server) find(name string) (Method, error) {
	services := s.services //race:Server.services
	if m, ok := services[name]; ok {
		return m, nil
	}
	return nil, fmt.Errorf("%w: %s", errNoMethod, name)
}

func (s *Server) encode(v string) string {
	if codec := s.codec; codec != nil { //race:Server.codec
		return codec.Encode(v)
	}
	return v
}

// Go makes a call.
func (s *Server) Go(method, arg string) <-chan string {
	reply := make(chan string, 1)
	s.calls <- Call{method, arg, reply}
	return reply
}

// Shutdown frees what the server holds.
func (s *Server) Shutdown() {
	close(s.calls)
	s.services = nil //race:Server.services
	s.codec = nil    //race:Server.codec
}
