package spool

import (
	"errors"
	"sync"
)

// ErrEmpty says that there is nothing to print.
var ErrEmpty = errors.New("spool is empty")

type Job struct {
	Doc   string
	Pages int
}

// Spool is a queue of documents.
type Spool struct {
	lock    sync.Mutex
	jobs    []Job
	printed int
}

func (s *Spool) Submit(j Job) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.jobs = append(s.jobs, j) //race:Spool.jobs
}

func (s *Spool) Take() (Job, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.jobs) == 0 {
		return Job{}, ErrEmpty
	}
	j := s.jobs[0]
	s.jobs = s.jobs[1:]  //race:Spool.jobs
	s.printed += j.Pages //race:Spool.printed
	return j, nil
}

// Metrics is polled by the agent.
func (s *Spool) Metrics() map[string]int {
	return map[string]int{
		"depth":   len(s.jobs), //race:Spool.jobs
		"printed": s.printed,   //race:Spool.printed
	}
}
