package main

import (
	"fmt"
	"sync"
	"time"
)

// store keeps settings in memory and writes them down now and then.
type store struct {
	values sync.Map
	dirty  bool
	saves  int
	every  time.Duration
	stop   chan struct{}
	gone   chan struct{}
}

func openStore(every time.Duration) *store {
	s := &store{every: every, stop: make(chan struct{}), gone: make(chan struct{})}
	go s.saver()
	return s
}

func (s *store) set(key, value string) {
	s.values.Store(key, value)
	s.dirty = true //race:store.dirty
}

func (s *store) saver() {
	defer close(s.gone)
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.flush()
		case <-s.stop:
			s.flush()
			return
		}
	}
}

func (s *store) flush() {
	if !s.dirty { //race:store.dirty
		return
	}
	n := 0
	s.values.Range(func(key, value any) bool {
		n++
		return true
	})
	s.saves += n
	s.dirty = false //race:store.dirty
}

func (s *store) close() {
	close(s.stop)
	<-s.gone
}

func main() {
	s := openStore(300 * time.Microsecond)
	for i := 0; i < 10; i++ {
		s.set(fmt.Sprint("theme.", i), "dark")
		time.Sleep(200 * time.Microsecond)
	}
	s.close()
	fmt.Println("saved", s.saves >= 0)
}
