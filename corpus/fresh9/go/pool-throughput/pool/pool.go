package pool

import (
	"context"
	"sync"
	"time"
)

// Task is some work that says how many bytes it has handled.
type Task interface {
	Do(ctx context.Context) (int64, error)
}

// Func makes a task of a function.
type Func func(ctx context.Context) (int64, error)

// Do calls the function.
func (f Func) Do(ctx context.Context) (int64, error) { return f(ctx) }

// Pool runs tasks on a fixed number of workers.
type Pool struct {
	workers int
	tasks   chan Task
	wg      sync.WaitGroup

	bytes  int64
	failed int
}

// New makes a pool that is not running yet.
func New(workers int) *Pool {
	return &Pool{workers: workers, tasks: make(chan Task)}
}

// Start brings the workers up.
func (p *Pool) Start(ctx context.Context) {
	p.wg.Add(p.workers)
	for i := 0; i < p.workers; i++ {
		go p.work(ctx)
	}
}

func (p *Pool) work(ctx context.Context) {
	defer p.wg.Done()
	for t := range p.tasks {
		p.handle(ctx, t)
	}
}

func (p *Pool) handle(ctx context.Context, t Task) {
	tctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	n, err := t.Do(tctx)
	if err != nil {
		p.failed++ //race:Pool.failed
		return
	}
	p.bytes += n //race:Pool.bytes
}

// Submit waits for a worker that is free.
func (p *Pool) Submit(t Task) { p.tasks <- t }

// Close waits for all tasks and returns what was done.
func (p *Pool) Close() (bytes int64, failed int) {
	close(p.tasks)
	p.wg.Wait()
	return p.bytes, p.failed
}
