package main

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

type order struct {
	number   int
	currency string
}

type registry interface {
	register(subject, schema string) uint32
}

type remote struct{}

func (remote) register(subject, schema string) uint32 {
	time.Sleep(time.Millisecond)
	return uint32(len(subject)*1000 + len(schema))
}

// subject has the schema of the values of a topic.
type subject[T any] struct {
	name     string
	registry registry
	mu       sync.Mutex
	id       uint32
}

func (s *subject[T]) schemaID() uint32 {
	if s.id == 0 { //race:subject.id
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.id == 0 {
			var zero T
			s.id = s.registry.register(s.name, fmt.Sprintf("%T", zero)) //race:subject.id
		}
	}
	return s.id //race:subject.id
}

// encode puts the schema's id before the value.
func (s *subject[T]) encode(v T) []byte {
	out := []byte{0}
	out = binary.BigEndian.AppendUint32(out, s.schemaID())
	return fmt.Appendf(out, "%v", v)
}
