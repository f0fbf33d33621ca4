// Package sched runs jobs in bursts, the most urgent first.
package sched

import (
	"container/heap"
	"time"
)

// Scheduler has one runner.
type Scheduler struct {
	queue jobQueue
	burst int
	quit  chan struct{}
	tick  time.Duration
	ran   []string
}

// New starts a scheduler that waits until so many jobs are there.
func New(tick time.Duration, burst int) *Scheduler {
	s := &Scheduler{quit: make(chan struct{}), tick: tick, burst: burst}
	go s.run()
	return s
}

// After wants a function to be run no sooner than in d.
func (s *Scheduler) After(d time.Duration, name string, f func()) {
	s.insert(&Job{Name: name, At: time.Now().Add(d), Run: f})
}

func (s *Scheduler) insert(job *Job) {
	heap.Push(&s.queue, job) //race:Scheduler.queue
}

func (s *Scheduler) run() {
	for {
		time.Sleep(s.tick)
		select {
		case <-s.quit:
			return
		default:
		}
		if s.backlog() >= s.burst {
			s.runBurst()
		}
	}
}

func (s *Scheduler) backlog() int {
	return s.queue.Len() //race:Scheduler.queue
}

func (s *Scheduler) runBurst() {
	for i := 0; i < s.burst; i++ {
		job := heap.Pop(&s.queue).(*Job)
		time.Sleep(time.Until(job.At))
		job.Run()
		s.ran = append(s.ran, job.Name)
	}
}

// Stop ends the runner.
func (s *Scheduler) Stop() {
	close(s.quit)
}
