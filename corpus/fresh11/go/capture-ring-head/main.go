// Command ring shows how fast packets come in.
package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

type packet struct {
	length int
}

type ring struct {
	slots [256]atomic.Pointer[packet]
	head  uint64
}

func (r *ring) push(p *packet) {
	at := atomic.AddUint64(&r.head, 1) - 1 //race:ring.head
	r.slots[at%uint64(len(r.slots))].Store(p)
}

func (r *ring) captured() uint64 { return r.head } //race:ring.head

func meter(r *ring, every time.Duration, n int) []uint64 {
	rates := make([]uint64, 0, n)
	before := r.captured()
	for i := 0; i < n; i++ {
		time.Sleep(every)
		now := r.captured()
		rates = append(rates, now-before)
		before = now
	}
	return rates
}

func main() {
	r := &ring{}
	wire := make(chan *packet)
	off := make(chan struct{})
	go func() {
		defer close(off)
		for p := range wire {
			r.push(p)
		}
	}()
	go func() {
		defer close(wire)
		for i := 0; i < 40; i++ {
			wire <- &packet{64 + i}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	fmt.Println(len(meter(r, time.Millisecond, 4)), "rates")
	<-off
}
