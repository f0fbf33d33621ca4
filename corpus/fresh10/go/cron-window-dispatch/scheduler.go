package main

import (
	"sort"
	"time"
)

type job struct {
	name  string
	every time.Duration
	next  time.Time
}

type scheduler struct {
	jobs []job
	ran  chan string
}

func (s *scheduler) add(name string, every time.Duration) {
	s.jobs = append(s.jobs, job{name: name, every: every, next: time.Now().Add(every)})
	sort.SliceStable(s.jobs, func(i, j int) bool { return s.jobs[i].next.Before(s.jobs[j].next) })
}

// due returns the jobs whose time has come.
func (s *scheduler) due(now time.Time) []job {
	at := sort.Search(len(s.jobs), func(i int) bool { return s.jobs[i].next.After(now) })
	return append([]job(nil), s.jobs[:at]...)
}

// dispatch starts all jobs that are due and returns how many there were.
func (s *scheduler) dispatch(now time.Time) int {
	due := s.due(now)
	started := 0
	for _, j := range due { //race:j
		started++
		go func() {
			s.ran <- j.name //race:j
		}()
	}
	return started
}
