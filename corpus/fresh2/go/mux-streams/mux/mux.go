package mux

import "sync"

// Frame is a piece of a stream.
type Frame struct {
	Stream  uint32
	Payload []byte
}

// Mux knows the streams of one connection.
type Mux struct {
	sync.RWMutex
	streams map[uint32]*stream
	strays  int
}

// New returns a connection without streams.
func New() *Mux {
	return &Mux{streams: make(map[uint32]*stream)}
}

// Accept opens a stream.
func (m *Mux) Accept(id uint32) <-chan []byte {
	m.Lock()
	defer m.Unlock()
	s := &stream{id: id, inbox: make(chan []byte, 8)}
	m.streams[id] = s
	return s.inbox
}

// Deliver hands a frame to its stream.
func (m *Mux) Deliver(f Frame) {
	m.RLock()
	defer m.RUnlock()
	if s, ok := m.streams[f.Stream]; ok {
		s.take(f.Payload)
		return
	}
	m.strays++ //race:Mux.strays
}
