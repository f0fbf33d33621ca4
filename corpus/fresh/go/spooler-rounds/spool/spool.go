// Package spool prints jobs in rounds.
package spool

import (
	"sync"
	"sync/atomic"
	"time"
)

// Job is one document.
type Job struct {
	Name  string
	Pages int
}

// Spooler prints the jobs of a round at once.
type Spooler struct {
	round   sync.WaitGroup
	printed int64
	pace    time.Duration
}

// New returns a spooler that needs so long per page.
func New(pace time.Duration) *Spooler {
	return &Spooler{pace: pace}
}

// Submit starts a round.
func (s *Spooler) Submit(jobs ...Job) {
	for _, job := range jobs {
		s.round.Add(1) //race:Spooler.round
		go s.print(job)
	}
}

func (s *Spooler) print(job Job) {
	defer s.round.Done()
	for page := 0; page < job.Pages; page++ {
		time.Sleep(s.pace)
	}
	atomic.AddInt64(&s.printed, int64(job.Pages))
}

// Drain waits until the round is over.
func (s *Spooler) Drain() int64 {
	s.round.Wait() //race:Spooler.round
	return atomic.LoadInt64(&s.printed)
}
