// Package stream pumps values.
package stream

import (
	"context"
	"time"
)

// Stream holds the newest value.
type Stream struct {
	in   chan int
	last int
	err  error
}

// Open starts a stream that ends with the context.
func Open(ctx context.Context) *Stream {
	s := &Stream{in: make(chan int, 1)}
	go s.pump(ctx)
	return s
}

func (s *Stream) pump(ctx context.Context) {
	for {
		select {
		case v := <-s.in:
			s.last = v //race:Stream.last
		case <-ctx.Done():
			s.err = ctx.Err() //race:Stream.err
			time.Sleep(time.Second)
			return
		}
	}
}

// Last is the newest value.
func (s *Stream) Last() int {
	return s.last //race:Stream.last
}

// Err is why the stream ended.
func (s *Stream) Err() error {
	return s.err //race:Stream.err
}
