package main

import (
	"fmt"
	"sync"
	"time"
)

type frame struct {
	stream int
	body   []byte
}

var frames = sync.Pool{New: func() any { return &frame{body: make([]byte, 0, 64)} }}

// writer sends frames in the background.
type writer struct {
	queue chan *frame
	total int
	ended chan struct{}
}

func newWriter() *writer {
	w := &writer{queue: make(chan *frame, 64), ended: make(chan struct{})}
	go w.loop()
	return w
}

func (w *writer) loop() {
	defer close(w.ended)
	for f := range w.queue {
		time.Sleep(50 * time.Microsecond)
		w.total += f.stream //race:frame.stream
	}
}

type stream struct {
	id int
	w  *writer
}

func (s *stream) send(msg string) {
	f := frames.Get().(*frame)
	f.stream = s.id //race:frame.stream
	s.w.queue <- f
	frames.Put(f)
}

func main() {
	w := newWriter()
	s := &stream{id: 1, w: w}
	for i := 0; i < 40; i++ {
		s.send(fmt.Sprint("message ", i))
	}
	close(w.queue)
	<-w.ended
	fmt.Println("sent", w.total > 0)
}
