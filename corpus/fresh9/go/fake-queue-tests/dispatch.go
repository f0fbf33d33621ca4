package dispatch

import (
	"context"
	"time"
)

// Job is taken from a queue.
type Job struct {
	ID   int
	Name string
}

// Queue gives jobs and takes acknowledgements.
type Queue interface {
	Next() (Job, bool)
	Ack(id int)
}

// Run works on a queue with n workers until the context is done.
func Run(ctx context.Context, q Queue, n int, work func(Job) error) {
	for i := 0; i < n; i++ {
		go func() {
			for ctx.Err() == nil {
				job, ok := q.Next()
				if !ok {
					time.Sleep(time.Millisecond)
					continue
				}
				if err := work(job); err == nil {
					q.Ack(job.ID)
				}
			}
		}()
	}
}
