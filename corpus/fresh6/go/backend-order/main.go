package main

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

type backend struct {
	addr   string
	weight int
}

type balancer struct {
	mu       sync.Mutex
	latency  map[string]time.Duration
	backends []backend
}

func (b *balancer) observe(addr string, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latency[addr] = d
}

func (b *balancer) known(addr string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.latency[addr]
}

type byLatency struct {
	list []backend
	of   func(string) time.Duration
}

func (s byLatency) Len() int           { return len(s.list) }
func (s byLatency) Less(i, j int) bool { return s.of(s.list[i].addr) < s.of(s.list[j].addr) } //race:balancer.backends[]
func (s byLatency) Swap(i, j int)      { s.list[i], s.list[j] = s.list[j], s.list[i] }        //race:balancer.backends[]

// pick returns the backend that was fastest of late.
func (b *balancer) pick() backend {
	sort.Sort(byLatency{list: b.backends, of: b.known})
	return b.backends[0] //race:balancer.backends[]
}

type proxyConn struct {
	id int
	lb *balancer
}

func (c *proxyConn) forward(n int) {
	for i := 0; i < n; i++ {
		be := c.lb.pick()
		time.Sleep(300 * time.Microsecond)
		c.lb.observe(be.addr, time.Duration((c.id*7+i*3)%5)*time.Millisecond)
	}
}

func main() {
	lb := &balancer{
		latency:  map[string]time.Duration{"b1": 3, "b2": 1},
		backends: []backend{{"b1", 1}, {"b2", 2}},
	}
	var wg sync.WaitGroup
	for id := 1; id <= 2; id++ {
		wg.Add(1)
		go func(id int) {
			defer wg.Done()
			(&proxyConn{id: id, lb: lb}).forward(4)
		}(id)
	}
	wg.Wait()
	fmt.Println("forwarded")
}
