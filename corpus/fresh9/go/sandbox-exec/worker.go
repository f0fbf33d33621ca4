package main

import (
	"fmt"
	"time"
)

type job struct {
	id   int
	code func() int
}

type worker struct {
	name    string
	jobs    chan job
	crashed int
	last    string
}

func (w *worker) run() {
	for j := range w.jobs {
		w.exec(j)
	}
}

func (w *worker) exec(j job) {
	defer func() {
		if r := recover(); r != nil {
			w.crashed++                                 //race:worker.crashed
			w.last = fmt.Sprintf("job %d: %v", j.id, r) //race:worker.last
		}
	}()
	_ = j.code()
}

type supervisor struct {
	workers []*worker
	limit   int
}

// watch looks after the workers and says which of them to restart.
func (s *supervisor) watch(rounds int) []string {
	var restart []string
	for i := 0; i < rounds; i++ {
		time.Sleep(2 * time.Millisecond)
		for _, w := range s.workers {
			if w.crashed > s.limit { //race:worker.crashed
				restart = append(restart, w.name+" "+w.last) //race:worker.last
			}
		}
	}
	return restart
}
