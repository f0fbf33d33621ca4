// Package wire encodes frames.
package wire

import (
	"encoding/binary"
	"sync"
)

const headerSize = 8

// encoder is reused, for frames are many and large.
type encoder struct {
	buf []byte
}

var encoders = sync.Pool{
	New: func() interface{} { return &encoder{buf: make([]byte, 0, 4096)} },
}

func acquire() *encoder {
	return encoders.Get().(*encoder)
}

func (e *encoder) release() {
	e.buf = e.buf[:0]
	encoders.Put(e)
}

func (e *encoder) header(stream uint32, size int) {
	e.buf = e.buf[:headerSize]
	binary.BigEndian.PutUint32(e.buf[4:], uint32(size))
	fill(e.buf, stream) //race:encoder.buf[]
}

//go:noinline
func fill(b []byte, stream uint32) {
	b[0] = byte(stream >> 24)
	b[1] = byte(stream >> 16)
	b[2] = byte(stream >> 8)
	b[3] = byte(stream)
}

func (e *encoder) payload(p []byte) {
	e.buf = append(e.buf, p...)
}
