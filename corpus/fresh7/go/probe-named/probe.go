package main

import (
	"fmt"
	"time"
)

type check struct {
	name    string
	latency time.Duration
}

func (c check) run() bool {
	time.Sleep(c.latency)
	return c.latency < 5*time.Millisecond
}

type prober struct {
	deadline time.Duration
	history  []bool
}

// probe says whether a check passed in time.
func (p *prober) probe(c check) (healthy bool) {
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		healthy = c.run() //race:healthy
	}()
	select {
	case <-finished:
		return healthy
	case <-time.After(p.deadline):
		return false //race:healthy
	}
}

func (p *prober) cycle(checks []check) {
	for _, c := range checks {
		ok := p.probe(c)
		p.history = append(p.history, ok)
	}
}

func main() {
	p := &prober{deadline: time.Millisecond}
	p.cycle([]check{
		{name: "disk", latency: 100 * time.Microsecond},
		{name: "dns", latency: 3 * time.Millisecond},
	})
	time.Sleep(6 * time.Millisecond)
	fmt.Println(len(p.history))
}
