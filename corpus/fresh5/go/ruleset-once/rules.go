package main

import (
	"sync"
	"time"
)

type ruleSet struct {
	drop []string
}

type agent struct {
	load func() *ruleSet

	mu    sync.Mutex
	rules *ruleSet
}

func (a *agent) ruleSet() *ruleSet {
	if a.rules == nil { //race:agent.rules
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.rules == nil {
			a.rules = a.load() //race:agent.rules
		}
	}
	return a.rules //race:agent.rules
}

func (a *agent) filter(queue string, packets int) {
	for i := 0; i < packets; i++ {
		if a.ruleSet() == nil {
			panic(queue)
		}
		time.Sleep(time.Millisecond)
	}
}
