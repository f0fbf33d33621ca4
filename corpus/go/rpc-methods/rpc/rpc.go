// Package rpc calls methods by name.
package rpc

import "reflect"

// Server has one service.
type Server struct {
	service reflect.Value
}

// NewServer returns a server of a service.
func NewServer(service any) *Server {
	return &Server{reflect.ValueOf(service)}
}

// Handle runs one call.
func (s *Server) Handle(method string, n int) int {
	return s.invoke(s.service.MethodByName(method), n)
}

func (s *Server) invoke(m reflect.Value, n int) int {
	out := m.Call([]reflect.Value{reflect.ValueOf(n)})
	return int(out[0].Int())
}
