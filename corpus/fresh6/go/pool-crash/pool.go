package main

import (
	"errors"
	"fmt"
	"time"
)

type slot struct {
	no    int
	alive bool
	cause error
}

type workerPool struct {
	slots []*slot
	jobs  chan func()
}

func newWorkerPool(n int) *workerPool {
	p := &workerPool{jobs: make(chan func(), 16)}
	for i := 0; i < n; i++ {
		s := &slot{no: i, alive: true}
		p.slots = append(p.slots, s)
		go p.work(s)
	}
	return p
}

func toError(v interface{}) error {
	if err, ok := v.(error); ok {
		return err
	}
	return errors.New(fmt.Sprint(v))
}

func (p *workerPool) work(s *slot) {
	defer func() {
		if v := recover(); v != nil {
			s.cause = toError(v) //race:slot.cause
			s.alive = false      //race:slot.alive
		}
	}()
	for job := range p.jobs {
		job()
	}
}

// dead lists the slots that must be started again.
func (p *workerPool) dead() []error {
	var causes []error
	for _, s := range p.slots {
		if !s.alive { //race:slot.alive
			causes = append(causes, fmt.Errorf("worker %d: %w", s.no, s.cause)) //race:slot.cause
		}
	}
	return causes
}

func (p *workerPool) supervise(every time.Duration, rounds int) (seen int) {
	for i := 0; i < rounds; i++ {
		time.Sleep(every)
		seen += len(p.dead())
	}
	return seen
}
