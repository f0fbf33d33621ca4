// Package exec runs queries.
package exec

import "time"

type scratch struct {
	cols []string
	rows int
}

type freelist chan *scratch

func (f freelist) get() *scratch {
	select {
	case s := <-f:
		return s
	default:
		return &scratch{}
	}
}

func (f freelist) put(s *scratch) {
	select {
	case f <- s:
	default:
	}
}

// Executor runs queries and profiles them.
type Executor struct {
	free    freelist
	profile chan int
}

// NewExecutor makes an executor.
func NewExecutor() *Executor {
	return &Executor{free: make(freelist, 4), profile: make(chan int, 16)}
}

// Rows runs a query for some columns.
func (e *Executor) Rows(cols ...string) int {
	s := e.free.get()
	defer e.free.put(s)
	s.cols = cols //race:scratch.cols
	s.rows = len(cols) * 10
	go func() {
		time.Sleep(time.Millisecond)
		e.profile <- len(s.cols) //race:scratch.cols
	}()
	return s.rows
}
