package main

import (
	"sync/atomic"
	"time"
)

type totals struct {
	seen atomic.Int64
	hour int
}

func (t *totals) clear(hour int) {
	*t = totals{hour: hour} //race:totals.seen
}

type queue struct {
	jobs     chan string
	finished chan struct{}
	workers  []int
	totals   totals
	hours    int
}

func newQueue(n int) *queue {
	q := &queue{jobs: make(chan string, 4), finished: make(chan struct{})}
	for i := 0; i < n; i++ {
		q.workers = append(q.workers, i)
		go q.work()
	}
	return q
}

func (q *queue) work() {
	defer func() { q.finished <- struct{}{} }()
	for job := range q.jobs {
		q.process(job)
		q.totals.seen.Add(1) //race:totals.seen
	}
}

func (q *queue) process(job string) {
	time.Sleep(time.Duration(len(job)) * 10 * time.Microsecond)
}

func (q *queue) rollover() {
	q.hours++
	q.totals.clear(q.hours)
}
