package wire

import "time"

// SlowTap writes frames to a file, later.
type SlowTap struct {
	queue chan *Frame
	write func(kind byte, size int)
}

// NewSlowTap returns a tap that is at work.
func NewSlowTap(write func(kind byte, size int)) *SlowTap {
	t := &SlowTap{queue: make(chan *Frame, 8), write: write}
	go t.drain()
	return t
}

// Offer queues a frame.
func (t *SlowTap) Offer(f *Frame) {
	t.queue <- f
}

func (t *SlowTap) drain() {
	for f := range t.queue {
		time.Sleep(5 * time.Millisecond)
		kind := f.kind      //race:Frame.kind
		size := len(f.body) //race:Frame.body
		t.write(kind, size)
	}
}
