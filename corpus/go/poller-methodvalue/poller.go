package poller

import "sync"

// Poller asks a source for news.
type Poller struct {
	wg    sync.WaitGroup
	ticks int
}

func (p *Poller) run() {
	defer p.wg.Done()
	for i := 0; i < 3; i++ {
		p.ticks++ //race:Poller.ticks
	}
}

// Start runs two pollers.
func (p *Poller) Start() {
	p.wg.Add(2)
	go p.run()
	loop := p.run
	go loop()
}

// Wait returns when both have ended.
func (p *Poller) Wait() int {
	p.wg.Wait()
	return p.ticks
}
