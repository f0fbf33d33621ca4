package render

import (
	"context"
	"sync"
)

type pool struct {
	ctx  context.Context
	jobs chan func()
	wg   sync.WaitGroup
}

func startPool(ctx context.Context, n int) *pool {
	p := &pool{ctx: ctx, jobs: make(chan func())}
	p.wg.Add(n)
	for i := 0; i < n; i++ {
		go p.worker()
	}
	return p
}

func (p *pool) worker() {
	defer p.wg.Done()
	for job := range p.jobs {
		if p.ctx.Err() == nil {
			job()
		}
	}
}

func (p *pool) submit(job func()) { p.jobs <- job }

func (p *pool) wait() error {
	close(p.jobs)
	p.wg.Wait()
	return p.ctx.Err()
}
