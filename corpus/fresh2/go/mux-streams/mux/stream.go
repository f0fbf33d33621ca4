// Package mux carries many streams over one connection.
package mux

type stream struct {
	id       uint32
	received int
	inbox    chan []byte
}

func (s *stream) take(payload []byte) {
	s.received += len(payload) //race:stream.received
	select {
	case s.inbox <- payload:
	default:
	}
}
