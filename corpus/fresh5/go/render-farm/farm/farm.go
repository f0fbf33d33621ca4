package farm

import (
	"sync"
	"time"
)

// Farm renders the frames of a film.
type Farm struct {
	pending sync.WaitGroup
	slots   chan struct{}
}

// New makes a farm that renders n frames at a time.
func New(n int) *Farm {
	return &Farm{slots: make(chan struct{}, n)}
}

// Enqueue takes a range of frames.
func (f *Farm) Enqueue(from, to int) {
	for n := from; n < to; n++ {
		go f.frame(n)
	}
}

func (f *Farm) frame(n int) {
	f.pending.Add(1) //race:Farm.pending
	defer f.pending.Done()
	time.Sleep(time.Duration(8+n) * time.Millisecond)
}

// Settle returns when nothing is left to do.
func (f *Farm) Settle() {
	f.pending.Wait() //race:Farm.pending
}
