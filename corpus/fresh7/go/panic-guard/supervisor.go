package main

import (
	"fmt"
	"sync"
	"time"
)

type failure struct {
	worker string
	reason string
}

// supervisor runs workers and keeps the last failure.
type supervisor struct {
	mu      sync.Mutex
	last    failure
	started int
	wg      sync.WaitGroup
}

func (s *supervisor) guard(name string) {
	if r := recover(); r != nil {
		s.last = failure{worker: name, reason: fmt.Sprint(r)} //race:supervisor.last
	}
}

func (s *supervisor) spawn(name string, f func()) {
	s.mu.Lock()
	s.started++
	s.mu.Unlock()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		defer s.guard(name)
		f()
	}()
}

func (s *supervisor) lastFailure() failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last //race:supervisor.last
}

func (s *supervisor) healthy() bool {
	return s.lastFailure().worker == ""
}

func parseAll(lines []string) func() {
	return func() {
		for i := range lines {
			time.Sleep(time.Millisecond)
			_ = lines[i][3]
		}
	}
}

func main() {
	s := &supervisor{}
	s.spawn("parser", parseAll([]string{"GET /", "x"}))
	s.spawn("idle", func() { time.Sleep(4 * time.Millisecond) })
	for i := 0; i < 4; i++ {
		time.Sleep(time.Millisecond)
		s.healthy()
	}
	s.wg.Wait()
	fmt.Println("supervised")
}
