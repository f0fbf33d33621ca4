// Package queue leases jobs to workers.
package queue

import (
	"sync"
	"time"
)

type job struct {
	id    int
	until time.Time
}

// Queue has jobs that are leased.
type Queue struct {
	mu   sync.Mutex
	jobs map[int]*job
}

// New makes a queue.
func New() *Queue { return &Queue{jobs: map[int]*job{}} }

// Lease takes a job.
func (q *Queue) Lease(id int, ttl time.Duration) {
	q.mu.Lock()
	q.jobs[id] = &job{id, time.Now().Add(ttl)}
	q.mu.Unlock()
}

// Renew moves the end of every lease.
func (q *Queue) Renew(ttl time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		j.until = time.Now().Add(ttl) //race:job.until
	}
}

func (q *Queue) find(id int) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.jobs[id]
}

// Left is for how long a job is still leased.
func (q *Queue) Left(id int) time.Duration {
	if j := q.find(id); j != nil {
		return time.Until(j.until) //race:job.until
	}
	return 0
}
