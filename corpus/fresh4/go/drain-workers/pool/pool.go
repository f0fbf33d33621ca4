// Package pool does jobs.
package pool

import (
	"sync"
	"time"
)

type crew struct {
	sync.WaitGroup
}

// enrol begins a shift and returns its end.
func (c *crew) enrol() func() {
	c.Add(1) //race:Pool.group
	return c.Done
}

// Pool does jobs in goroutines.
type Pool struct {
	crew crew
	done int
}

// Submit does a job in the background.
func (p *Pool) Submit(cost time.Duration) {
	go func() {
		time.Sleep(cost)
		leave := p.crew.enrol()
		defer leave()
		p.done++ //race:Pool.done
		time.Sleep(4 * cost)
	}()
}

// Drain waits for the jobs and says how many were done.
func (p *Pool) Drain() int {
	p.crew.Wait() //race:Pool.group
	time.Sleep(12 * time.Millisecond)
	return p.done //race:Pool.done
}
