// Command canbus prints frames of a vehicle's bus.
package main

import (
	"fmt"
	"time"
)

type frame struct {
	id   uint32
	data [8]byte
}

type bus struct {
	mask    uint32
	frames  chan frame
	passed  chan uint32
	stopped chan struct{}
}

func (b *bus) read() {
	defer close(b.stopped)
	for f := range b.frames {
		if f.id&b.mask == f.id { //race:bus.mask
			b.passed <- f.id
		}
	}
}

func open(ids ...uint32) *bus {
	b := &bus{
		frames:  make(chan frame, 8),
		passed:  make(chan uint32, 8),
		stopped: make(chan struct{}),
	}
	for id := uint32(0x100); id < 0x104; id++ {
		b.frames <- frame{id: id}
	}
	go b.read()
	for _, id := range ids {
		b.mask |= id //race:bus.mask
	}
	return b
}

func main() {
	b := open(0x100, 0x101, 0x7DF)
	time.Sleep(time.Millisecond)
	close(b.frames)
	<-b.stopped
	fmt.Println(len(b.passed) >= 0)
}
