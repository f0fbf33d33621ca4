package main

import (
	"fmt"
	"time"
)

type tick struct {
	n int
}

// scheduler calls a function at every tick.
type scheduler struct {
	every  time.Duration
	ticks  int
	onTick func(tick)
	stop   chan struct{}
	gone   chan struct{}
}

func newScheduler(every time.Duration, onTick func(tick)) *scheduler {
	s := &scheduler{every: every, stop: make(chan struct{}), gone: make(chan struct{})}
	go s.loop()
	s.onTick = onTick //race:scheduler.onTick
	return s
}

func (s *scheduler) loop() {
	defer close(s.gone)
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(s.every):
			s.ticks++
			if f := s.onTick; f != nil { //race:scheduler.onTick
				f(tick{s.ticks})
			}
		}
	}
}

func (s *scheduler) close() {
	close(s.stop)
	<-s.gone
}

func main() {
	seen := make(chan int, 64)
	s := newScheduler(200*time.Microsecond, func(t tick) { seen <- t.n })
	first := <-seen
	s.close()
	fmt.Println("ticked", first > 0)
}
