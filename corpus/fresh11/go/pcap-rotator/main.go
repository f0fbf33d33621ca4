// Command rotate writes captures in segments.
package main

import (
	"fmt"
	"time"
)

type segment struct {
	seq     int
	packets int
}

type rotator struct {
	seg    *segment
	feed   chan []byte
	stop   chan struct{}
	closed []int
}

func (r *rotator) loop() {
	for {
		select {
		case <-r.feed:
			if r.seg == nil { //race:rotator.seg
				return
			}
			if r.seg.packets == 3 { //race:rotator.seg
				r.seg = &segment{seq: r.seg.seq + 1} //race:rotator.seg
			}
			r.seg.packets++ //race:rotator.seg
		case <-r.stop:
			return
		}
	}
}

// Stop ends the capture and returns the number of the last segment.
func (r *rotator) Stop() int {
	close(r.stop)
	last := r.seg.seq //race:rotator.seg
	r.seg = nil       //race:rotator.seg
	return last
}

func main() {
	r := &rotator{seg: &segment{seq: 1}, feed: make(chan []byte, 16), stop: make(chan struct{})}
	go r.loop()
	for i := 0; i < 9; i++ {
		r.feed <- []byte{byte(i)}
	}
	time.Sleep(2 * time.Millisecond)
	fmt.Println("segments:", r.Stop() > 0)
	time.Sleep(2 * time.Millisecond)
}
