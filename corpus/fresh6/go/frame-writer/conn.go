package main

import (
	"hash/crc32"
	"sync"
	"time"
)

type frame struct {
	stream  uint32
	payload []byte
}

var frames = sync.Pool{New: func() any { return &frame{payload: make([]byte, 0, 256)} }}

func getFrame() *frame { return frames.Get().(*frame) }

func putFrame(f *frame) {
	f.payload = f.payload[:0] //race:frame.payload
	frames.Put(f)
}

// wireConn writes frames in a goroutine of its own.
type wireConn struct {
	out  chan *frame
	sums chan uint32
}

func newWireConn() *wireConn {
	c := &wireConn{out: make(chan *frame, 8), sums: make(chan uint32, 64)}
	go c.flusher()
	return c
}

func (c *wireConn) flusher() {
	defer close(c.sums)
	for f := range c.out {
		time.Sleep(time.Millisecond)            // the kernel's buffer is full
		c.sums <- crc32.ChecksumIEEE(f.payload) //race:frame.payload
	}
}

// Send queues one message.
func (c *wireConn) Send(stream uint32, msg string) {
	f := getFrame()
	defer putFrame(f)
	f.stream = stream
	f.payload = append(f.payload, msg...) //race:frame.payload
	c.out <- f
}

func (c *wireConn) Close() { close(c.out) }
