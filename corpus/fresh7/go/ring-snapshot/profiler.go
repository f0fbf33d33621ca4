package main

import (
	"fmt"
	"time"
)

type stackSample struct {
	pc    uint64
	count uint32
}

// profiler keeps the newest samples in a ring.
type profiler struct {
	slots []stackSample
	next  int
	walk  func(n int) uint64
	quit  chan struct{}
}

func newProfiler(size int, walk func(int) uint64) *profiler {
	return &profiler{slots: make([]stackSample, size), walk: walk, quit: make(chan struct{})}
}

func (p *profiler) take() {
	s := stackSample{pc: p.walk(p.next), count: 1}
	p.slots[p.next%len(p.slots)] = s //race:profiler.slots[]
	p.next++
}

func (p *profiler) loop(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.take()
		case <-p.quit:
			return
		}
	}
}

func (p *profiler) snapshot() []stackSample {
	out := make([]stackSample, len(p.slots))
	copy(out, p.slots) //race:profiler.slots[]
	return out
}

func hottest(samples []stackSample) (pc uint64) {
	byPC := map[uint64]uint32{}
	for _, s := range samples {
		byPC[s.pc] += s.count
		if byPC[s.pc] > byPC[pc] {
			pc = s.pc
		}
	}
	return pc
}

func main() {
	p := newProfiler(8, func(n int) uint64 { return uint64(0x400000 + n%3) })
	go p.loop(500 * time.Microsecond)
	for i := 0; i < 4; i++ {
		time.Sleep(time.Millisecond)
		hottest(p.snapshot())
	}
	close(p.quit)
	fmt.Println("profiled")
}
