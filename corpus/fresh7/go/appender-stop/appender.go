package main

import (
	"fmt"
	"time"
)

type segment struct {
	name    string
	records [][]byte
}

// appender writes records into segments in the background.
type appender struct {
	in      chan []byte
	current *segment
	bytes   int
	quit    chan struct{}
}

func newAppender(name string) *appender {
	a := &appender{in: make(chan []byte, 16), current: &segment{name: name}, quit: make(chan struct{})}
	go a.writeLoop()
	return a
}

func (a *appender) writeLoop() {
	for {
		select {
		case rec := <-a.in:
			a.write(rec)
		case <-a.quit:
			return
		}
	}
}

func (a *appender) write(rec []byte) {
	seg := a.current //race:appender.current
	if seg == nil {
		return
	}
	seg.records = append(seg.records, rec)
	a.bytes += len(rec) //race:appender.bytes
	time.Sleep(time.Millisecond)
}

// stop ends the appender and returns how much it wrote.
func (a *appender) stop() int {
	a.current = nil //race:appender.current
	n := a.bytes    //race:appender.bytes
	close(a.quit)
	return n
}

func produce(a *appender, n int) {
	for i := 0; i < n; i++ {
		a.in <- []byte{byte(i), byte(i >> 8)}
	}
}

func main() {
	a := newAppender("000001.seg")
	produce(a, 8)
	time.Sleep(3 * time.Millisecond)
	fmt.Println("wrote:", a.stop() >= 0)
	time.Sleep(4 * time.Millisecond)
}
