// Package pool keeps idle connections.
package pool

import (
	"sync"
	"time"
)

// Conn is a connection that may be idle.
type Conn struct {
	host  string
	since time.Time
}

// Pool lends connections and closes those that are idle too long.
type Pool struct {
	ttl  time.Duration
	mu   sync.Mutex
	idle map[string][]*Conn
	quit chan struct{}
}

// New starts the reaper.
func New(ttl time.Duration) *Pool {
	p := &Pool{ttl: ttl, idle: map[string][]*Conn{}, quit: make(chan struct{})}
	go p.reaper()
	return p
}

// Get lends an idle connection or a new one.
func (p *Pool) Get(host string) *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if free := p.idle[host]; len(free) > 0 { //race:Pool.idle
		p.idle[host] = free[:len(free)-1]
		return free[len(free)-1]
	}
	return &Conn{host: host}
}

// Put takes a connection back.
func (p *Pool) Put(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.since = time.Now()
	p.idle[c.host] = append(p.idle[c.host], c) //race:Pool.idle
}

func (p *Pool) reaper() {
	for {
		select {
		case <-p.quit:
			return
		case now := <-time.After(p.ttl / 2):
			p.reap(now)
		}
	}
}

func (p *Pool) reap(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for host, conns := range p.idle { //race:Pool.idle
		kept := conns[:0]
		for _, c := range conns {
			if now.Sub(c.since) < p.ttl {
				kept = append(kept, c)
			}
		}
		p.idle[host] = kept
	}
}

// Shutdown drops all connections and ends the reaper.
func (p *Pool) Shutdown() {
	p.idle = nil //race:Pool.idle
	close(p.quit)
}
