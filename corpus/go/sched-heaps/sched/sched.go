// Package sched runs tasks when they are due.
package sched

import "container/heap"

// Scheduler has tasks that are due and tasks that wait.
type Scheduler struct {
	ready   taskHeap
	delayed taskHeap
}

// Submit makes a task due at once.
func (s *Scheduler) Submit(name string) {
	s.enqueue(&task{name, 0})
}

func (s *Scheduler) enqueue(t *task) {
	heap.Push(&s.ready, *t) //race:Scheduler.ready
}

// After makes a task wait.
func (s *Scheduler) After(name string, due int) {
	s.postpone(&task{name, due})
}

func (s *Scheduler) postpone(t *task) {
	heap.Push(&s.delayed, *t) //race:Scheduler.delayed
}

// Pending counts the tasks.
func (s *Scheduler) Pending() int {
	n := s.ready.Len()         //race:Scheduler.ready
	return n + s.delayed.Len() //race:Scheduler.delayed
}
