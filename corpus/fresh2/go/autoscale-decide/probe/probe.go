// Package probe asks replicas how busy they are.
package probe

import "time"

// Reading is what a replica said.
type Reading struct {
	Replica string
	Load    float64
}

// Callback takes a reading.
type Callback func(r Reading)

// Prober asks all replicas.
type Prober struct {
	lag      time.Duration
	replicas map[string]float64
}

// New returns a prober of these replicas.
func New(lag time.Duration, replicas map[string]float64) *Prober {
	return &Prober{lag: lag, replicas: replicas}
}

// Each calls back for every replica, as the answers come.
func (p *Prober) Each(call Callback) (pending func()) {
	done := make(chan struct{}, len(p.replicas))
	for name, load := range p.replicas {
		go p.ask(Reading{name, load}, call, done)
	}
	return func() {
		for range p.replicas {
			<-done
		}
	}
}

func (p *Prober) ask(r Reading, call Callback, done chan<- struct{}) {
	time.Sleep(p.lag)
	call(r)
	done <- struct{}{}
}
