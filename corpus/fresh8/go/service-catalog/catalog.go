package main

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

type instance struct {
	addr string
	tags []string
}

// catalog knows which services run where.
type catalog struct {
	mu       sync.RWMutex
	services map[string]instance
}

func (c *catalog) register(name string, i instance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.services[name] = i //race:catalog.services[]
}

func (c *catalog) all() map[string]instance {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.services
}

type dnsView struct {
	catalog *catalog
	zone    string
}

func (v *dnsView) records() []string {
	var out []string
	for name, i := range v.catalog.all() { //race:catalog.services[]
		out = append(out, name+"."+v.zone+" "+i.addr)
	}
	sort.Strings(out)
	return out
}

func main() {
	c := &catalog{services: map[string]instance{"api": {addr: "10.0.0.1"}}}
	view := &dnsView{c, "service.local"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 3; i++ {
			c.register(fmt.Sprint("worker-", i), instance{addr: fmt.Sprint("10.0.1.", i)})
			time.Sleep(2 * time.Millisecond)
		}
	}()
	time.Sleep(time.Millisecond)
	n := len(view.records())
	<-done
	fmt.Println("records", n > 0)
}
