package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errProbeTimeout = errors.New("probe timed out")

type endpoint struct {
	name  string
	delay time.Duration
}

func (e endpoint) ping() (int, error) {
	time.Sleep(e.delay)
	return 200, nil
}

type prober struct {
	timeout time.Duration

	mu     sync.Mutex
	states map[string]bool
}

// check says whether an endpoint answers in time.
func (p *prober) check(e endpoint) (healthy bool, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		code, perr := e.ping()
		healthy = perr == nil && code < 500 //race:healthy
	}()

	select {
	case <-answered:
		return healthy, nil
	case <-time.After(p.timeout):
		return false, errProbeTimeout //race:healthy
	}
}

func (p *prober) round(eps []endpoint) {
	var wg sync.WaitGroup
	for _, e := range eps {
		wg.Add(1)
		go func(e endpoint) {
			defer wg.Done()
			ok, err := p.check(e)
			if err != nil {
				fmt.Printf("%s: %v\n", e.name, err)
			}
			p.mu.Lock()
			p.states[e.name] = ok
			p.mu.Unlock()
		}(e)
	}
	wg.Wait()
}

func main() {
	p := &prober{timeout: 3 * time.Millisecond, states: map[string]bool{}}
	p.round([]endpoint{{"auth", time.Millisecond}, {"ledger", 7 * time.Millisecond}})
	time.Sleep(10 * time.Millisecond)
	fmt.Println("probed", len(p.states))
}
