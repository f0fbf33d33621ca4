// Command policy filters routes.
package main

import (
	"fmt"
	"strings"
	"sync"
)

type policy struct {
	deny []string
}

func (p *policy) accepts(prefix string) bool {
	for _, d := range p.deny { //race:policy.deny
		if strings.HasPrefix(prefix, d) {
			return false
		}
	}
	return true
}

type engine struct {
	building sync.Mutex
	fallback *policy
}

func (e *engine) policy() *policy {
	if p := e.fallback; p != nil { //race:engine.fallback
		return p
	}
	e.building.Lock()
	if e.fallback == nil {
		e.fallback = &policy{deny: []string{"10.", "192.168.", "127."}} //race:engine.fallback,policy.deny
	}
	e.building.Unlock()
	return e.fallback //race:engine.fallback
}

func (e *engine) filter(routes []string) (kept int) {
	p := e.policy()
	for _, r := range routes {
		if p.accepts(r) {
			kept++
		}
	}
	return kept
}

func main() {
	e := &engine{}
	kept := make(chan int)
	peers := [][]string{
		{"10.1.0.0/16", "203.0.113.0/24"},
		{"198.51.100.0/24"},
		{"127.0.0.0/8", "192.0.2.0/24", "192.168.1.0/24"},
	}
	for _, routes := range peers {
		go func() { kept <- e.filter(routes) }()
	}
	sum := 0
	for range peers {
		sum += <-kept
	}
	fmt.Println(sum, "routes")
}
