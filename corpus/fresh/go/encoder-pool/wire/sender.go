package wire

import (
	"sync/atomic"
	"time"
)

// Sink takes whole frames.
type Sink interface {
	WriteFrame(b []byte) error
}

// Sender writes frames in the background.
type Sender struct {
	sink   Sink
	failed int32
}

// NewSender returns a sender that writes to sink.
func NewSender(sink Sink) *Sender {
	return &Sender{sink: sink}
}

// Send encodes a frame and returns at once.
func (s *Sender) Send(stream uint32, p []byte) {
	e := acquire()
	defer e.release()
	e.header(stream, len(p))
	e.payload(p)
	go s.write(e.buf)
}

func (s *Sender) write(frame []byte) {
	time.Sleep(5 * time.Millisecond) // wait for the window to open
	if checksum(frame) == 0 {        //race:encoder.buf[]
		atomic.AddInt32(&s.failed, 1)
		return
	}
	if err := s.sink.WriteFrame(frame); err != nil {
		atomic.AddInt32(&s.failed, 1)
	}
}

//go:noinline
func checksum(b []byte) uint32 {
	sum := uint32(1)
	for _, c := range b[:4] {
		sum = sum*31 + uint32(c)
	}
	return sum
}
