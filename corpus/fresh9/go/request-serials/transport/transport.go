package transport

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

var serial uint32

func nextSerial() uint32 {
	serial++      //race:serial
	return serial //race:serial
}

// Frame is what goes over the wire.
type Frame struct {
	Serial uint32
	Method string
	Body   []byte
}

// NewFrame numbers a call.
func NewFrame(method string, body []byte) *Frame {
	return &Frame{Serial: nextSerial(), Method: method, Body: body}
}

// Encode lays a frame out.
func (f *Frame) Encode() []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.BigEndian, f.Serial)
	_ = binary.Write(&b, binary.BigEndian, uint16(len(f.Method)))
	b.WriteString(f.Method)
	b.Write(f.Body)
	return b.Bytes()
}

// Decode reads a frame.
func Decode(p []byte) (*Frame, error) {
	if len(p) < 6 {
		return nil, fmt.Errorf("short frame: %d bytes", len(p))
	}
	n := int(binary.BigEndian.Uint16(p[4:]))
	return &Frame{
		Serial: binary.BigEndian.Uint32(p),
		Method: string(p[6 : 6+n]),
		Body:   p[6+n:],
	}, nil
}
