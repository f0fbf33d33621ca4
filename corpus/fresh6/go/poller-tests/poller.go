// Package status polls a service for its state.
package status

import (
	"sync"
	"time"
)

// endpoint is where all pollers ask.
var endpoint = "https://status.internal/v1"

type Fetch func(url string) (string, error)

type Poller struct {
	fetch Fetch
	every time.Duration
	quit  chan struct{}

	mu    sync.Mutex
	state string
	polls int
}

func Start(f Fetch, every time.Duration) *Poller {
	p := &Poller{fetch: f, every: every, quit: make(chan struct{})}
	go p.run()
	return p
}

func (p *Poller) run() {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-tick.C:
			p.poll()
		}
	}
}

func (p *Poller) poll() {
	s, err := p.fetch(endpoint + "/health") //race:endpoint
	if err != nil {
		s = "unknown"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = s
	p.polls++
}

// State returns the last state and how often it was asked for.
func (p *Poller) State() (string, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, p.polls
}

func (p *Poller) Stop() { close(p.quit) }
