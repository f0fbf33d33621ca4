package codec

import (
	"time"

	"github.com/deadheat-corpus/lazyencoders/lazy"
)

type encoder struct{ level int }

type decoder struct{ window int }

// Codec packs and unpacks.
type Codec struct {
	enc lazy.Value[encoder]
	dec lazy.Value[decoder]
}

// New makes a codec that has not built its tables yet.
func New() *Codec {
	c := new(Codec)
	c.enc.Make = func() *encoder { time.Sleep(time.Millisecond); return new(encoder) }
	c.dec.Make = func() *decoder { time.Sleep(time.Millisecond); return new(decoder) }
	return c
}

// Pack compresses.
func (c *Codec) Pack(data []byte) bool {
	e := c.enc.Get() //race:Codec.enc
	return e != nil
}

// Unpack decompresses.
func (c *Codec) Unpack(data []byte) bool {
	d := c.dec.Get() //race:Codec.dec
	return d != nil
}
