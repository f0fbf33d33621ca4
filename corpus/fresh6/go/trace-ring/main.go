package main

import (
	"fmt"
	"sync"
	"time"
)

type server struct {
	traces *ring
}

func (s *server) handle(id uint64) {
	start := time.Now()
	time.Sleep(200 * time.Microsecond)
	s.traces.push(&trace{id: id, took: time.Since(start)})
}

func (s *server) debugTraces() int {
	return len(s.traces.recent(8))
}

func main() {
	s := &server{traces: newRing(4)}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for id := uint64(0); id < 20; id++ {
			s.handle(id)
		}
	}()
	for i := 0; i < 5; i++ {
		time.Sleep(time.Millisecond)
		s.debugTraces()
	}
	wg.Wait()
	fmt.Println("kept", s.debugTraces())
}
