package main

import (
	"fmt"
	"time"
)

type line struct {
	unit string
	text string
}

// forwarder sends lines of the journal to a collector.
type forwarder struct {
	source  func() line
	sent    int
	closed  bool
	backoff time.Duration
	drained chan struct{}
}

func newForwarder(source func() line) *forwarder {
	f := &forwarder{source: source, backoff: 100 * time.Microsecond, drained: make(chan struct{})}
	go f.run()
	return f
}

func (f *forwarder) run() {
	defer close(f.drained)
	for !f.closed { //race:forwarder.closed
		l := f.source()
		if l.text != "" {
			f.sent++
		}
		time.Sleep(f.backoff)
	}
}

func (f *forwarder) Close() {
	f.closed = true //race:forwarder.closed
	select {
	case <-f.drained:
	case <-time.After(20 * time.Millisecond):
	}
}

func main() {
	n := 0
	f := newForwarder(func() line {
		n++
		return line{"sshd", fmt.Sprint("accepted key ", n)}
	})
	time.Sleep(time.Millisecond)
	f.Close()
	fmt.Println("forwarded")
}
