package sim

import (
	"sync"
	"time"
)

// Phases runs the phases of a simulation one after the other.
type Phases struct {
	running sync.WaitGroup
	ended   chan string
}

// New makes a simulation with nobody in it.
func New() *Phases {
	return &Phases{ended: make(chan string, 8)}
}

// Begin starts the workers of a phase.
func (p *Phases) Begin(workers int, d time.Duration) {
	p.running.Add(workers) //race:Phases.running
	for i := 0; i < workers; i++ {
		go func() {
			defer p.running.Done()
			time.Sleep(d)
		}()
	}
}

// Observe tells when a phase has ended.
func (p *Phases) Observe(name string) {
	p.running.Wait() //race:Phases.running
	p.ended <- name
}
