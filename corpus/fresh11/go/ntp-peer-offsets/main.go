// Command chronod disciplines the clock of a gateway.
package main

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

type sample struct {
	peer   string
	offset time.Duration
	delay  time.Duration
}

type round struct {
	samples []sample
	wg      sync.WaitGroup
}

type peer struct {
	addr  string
	drift time.Duration
}

func (p peer) query() (offset, delay time.Duration) {
	began := time.Now()
	time.Sleep(time.Millisecond)
	return p.drift, time.Since(began)
}

func (r *round) poll(p peer) {
	defer r.wg.Done()
	offset, delay := p.query()
	if delay > time.Second {
		return
	}
	r.samples = append(r.samples, sample{p.addr, offset, delay}) //race:round.samples
}

func (r *round) median() time.Duration {
	if len(r.samples) == 0 {
		return 0
	}
	sort.Slice(r.samples, func(i, j int) bool {
		return r.samples[i].offset < r.samples[j].offset
	})
	return r.samples[len(r.samples)/2].offset
}

func main() {
	peers := []peer{
		{"192.0.2.1:123", 3 * time.Millisecond},
		{"192.0.2.7:123", -2 * time.Millisecond},
		{"198.51.100.4:123", 1 * time.Millisecond},
		{"203.0.113.9:123", 40 * time.Millisecond},
	}
	r := &round{}
	for _, p := range peers {
		r.wg.Add(1)
		go r.poll(p)
	}
	r.wg.Wait()
	fmt.Println("step by", r.median())
}
