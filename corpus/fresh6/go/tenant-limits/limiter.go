package main

import (
	"sync"
	"time"
)

type counters struct {
	used    int
	blocked int
}

type tenant struct {
	id   string
	mu   sync.Mutex
	cnt  *counters
	rate int
}

func (t *tenant) allow() bool {
	t.mu.Lock() //race:tenant.mu
	defer t.mu.Unlock()
	if t.cnt.used >= t.rate { //race:counters.used
		t.cnt.blocked++
		return false
	}
	t.cnt.used++ //race:counters.used
	return true
}

type limiter struct {
	tenants []tenant
}

func newLimiter(rate int, ids ...string) *limiter {
	l := &limiter{}
	for _, id := range ids {
		l.tenants = append(l.tenants, tenant{id: id, cnt: &counters{}, rate: rate})
	}
	return l
}

func (l *limiter) allow(id string) bool {
	for i := range l.tenants {
		if l.tenants[i].id == id {
			return l.tenants[i].allow()
		}
	}
	return false
}

// refill starts a new window for everybody.
func (l *limiter) refill() {
	for _, t := range l.tenants { //race:tenant.mu
		t.mu.Lock()
		t.cnt.used = 0 //race:counters.used
		t.mu.Unlock()
	}
}

func (l *limiter) run(window time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(window):
			l.refill()
		}
	}
}
