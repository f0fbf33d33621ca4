package poller

import "time"

// pollInterval is how long the poller sleeps between two looks.
var pollInterval = 100 * time.Microsecond

// Source is what is looked at.
type Source func() (int, error)

// Poller looks at a source again and again.
type Poller struct {
	source Source
	last   chan int
	quit   chan struct{}
	gone   chan struct{}
}

// Start begins to poll.
func Start(source Source) *Poller {
	p := &Poller{source: source, last: make(chan int, 1), quit: make(chan struct{}), gone: make(chan struct{})}
	go p.run()
	return p
}

func (p *Poller) run() {
	defer close(p.gone)
	for {
		if n, err := p.source(); err == nil {
			select {
			case p.last <- n:
			default:
			}
		}
		select {
		case <-p.quit:
			return
		case <-time.After(pollInterval): //race:pollInterval
		}
	}
}

// Stop ends polling.
func (p *Poller) Stop() {
	close(p.quit)
	<-p.gone
}
