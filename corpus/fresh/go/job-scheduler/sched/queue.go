package sched

import "time"

// Job runs at some time.
type Job struct {
	Name string
	At   time.Time
	Run  func()
}

type jobQueue []*Job

func (q jobQueue) Len() int            { return len(q) }
func (q jobQueue) Less(i, j int) bool  { return q[i].At.Before(q[j].At) }
func (q jobQueue) Swap(i, j int)       { q[i], q[j] = q[j], q[i] }
func (q *jobQueue) Push(x interface{}) { *q = append(*q, x.(*Job)) }

func (q *jobQueue) Pop() interface{} {
	old := *q
	n := len(old)
	job := old[n-1]
	*q = old[:n-1]
	return job
}
