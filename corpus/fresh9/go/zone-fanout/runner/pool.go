package runner

import "sync"

// Pool runs functions on a few goroutines.
type Pool struct {
	tasks chan func()
	wg    sync.WaitGroup
}

// NewPool starts a pool.
func NewPool(n int) *Pool {
	p := &Pool{tasks: make(chan func())}
	for i := 0; i < n; i++ {
		p.wg.Add(1)
		go p.worker()
	}
	return p
}

func (p *Pool) worker() {
	defer p.wg.Done()
	for t := range p.tasks {
		t()
	}
}

// Submit queues a function.
func (p *Pool) Submit(f func()) { p.tasks <- f }

// Wait ends the pool when all is done.
func (p *Pool) Wait() {
	close(p.tasks)
	p.wg.Wait()
}
