// Package queue runs jobs, and runs them again when they fail.
package queue

import (
	"sync"
	"time"
)

// Job is something to do.
type Job struct {
	Name  string
	Tries int
	Do    func(try int) error
}

// Queue runs jobs in rounds.
type Queue struct {
	round sync.WaitGroup
	pause time.Duration
	lost  chan string
}

// New returns a queue that rests before it tries again.
func New(pause time.Duration) *Queue {
	return &Queue{pause: pause, lost: make(chan string, 16)}
}

// Submit runs jobs.
func (q *Queue) Submit(jobs ...Job) {
	q.round.Add(len(jobs)) //race:Queue.round
	for _, job := range jobs {
		go q.attempt(job, 1)
	}
}

func (q *Queue) attempt(job Job, try int) {
	defer q.round.Done()
	if job.Do(try) == nil {
		return
	}
	if try >= job.Tries {
		q.lost <- job.Name
	}
}

// Settle waits until a round is over, then calls back.
func (q *Queue) Settle(call func(lost int)) {
	q.round.Wait() //race:Queue.round
	call(len(q.lost))
}
