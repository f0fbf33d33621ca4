// Package wire reads frames from a connection.
package wire

import "github.com/deadheat-corpus/framepool/pool"

// Frame is a message of the protocol.
type Frame struct {
	kind byte
	body []byte
}

func (f *Frame) decode(raw []byte) {
	f.kind = raw[0]  //race:Frame.kind
	f.body = raw[1:] //race:Frame.body
}

// Tap looks at frames for those who debug.
type Tap interface {
	Offer(f *Frame)
}

// Reader makes frames of bytes.
type Reader struct {
	frames *pool.Pool[Frame]
	tap    Tap
}

// NewReader returns a reader with a tap.
func NewReader(frames *pool.Pool[Frame], tap Tap) *Reader {
	return &Reader{frames: frames, tap: tap}
}

// Handle reads one frame and hands its body on.
func (r *Reader) Handle(raw []byte, use func(body []byte)) {
	f := r.frames.Borrow()
	defer r.frames.Return(f)
	f.decode(raw)
	r.tap.Offer(f)
	use(f.body)
}
