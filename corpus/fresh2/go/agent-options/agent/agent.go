package agent

import "time"

// Agent measures again and again.
type Agent struct {
	every time.Duration
	sink  Sink
	quit  chan struct{}
}

// Start returns an agent that is at work.
func Start(options ...Option) *Agent {
	a := &Agent{every: 3 * time.Millisecond, quit: make(chan struct{})}
	go a.collect()
	probeHardware()
	for _, apply := range options {
		apply(a)
	}
	return a
}

func probeHardware() {
	time.Sleep(5 * time.Millisecond)
}

func (a *Agent) collect() {
	for {
		pause := a.every //race:Agent.every
		select {
		case <-a.quit:
			return
		case <-time.After(pause):
			a.measure()
		}
	}
}

func (a *Agent) measure() {
	if s := a.sink; s != nil { //race:Agent.sink
		s.Emit("load", 0.7)
	}
}

// Stop ends the measurements.
func (a *Agent) Stop() {
	close(a.quit)
}
