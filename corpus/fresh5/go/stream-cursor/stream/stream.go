package stream

import (
	"encoding/binary"
	"io"
)

// Stream is a connection that numbers its messages.
type Stream struct {
	r       io.Reader
	w       io.Writer
	lastSeq uint32
	err     chan error
}

// Open starts to receive.
func Open(r io.Reader, w io.Writer) *Stream {
	s := &Stream{r: r, w: w, err: make(chan error, 1)}
	go func() {
		s.err <- s.recvLoop()
	}()
	return s
}

func (s *Stream) recvLoop() error {
	buf := make([]byte, 1)
	for {
		if _, err := io.ReadFull(s.r, buf); err != nil {
			return err
		}
		s.onMessage(buf)
	}
}

func (s *Stream) onMessage(b []byte) {
	s.lastSeq = uint32(b[0]) + 1 //race:Stream.lastSeq
}

// Ack tells the peer what has arrived.
func (s *Stream) Ack() error {
	var out [4]byte
	binary.BigEndian.PutUint32(out[:], s.lastSeq) //race:Stream.lastSeq
	_, err := s.w.Write(out[:])
	return err
}
