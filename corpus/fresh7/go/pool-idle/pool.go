package main

import (
	"errors"
	"sync"
	"time"
)

type conn struct {
	id     int
	broken bool
}

var errExhausted = errors.New("pool is exhausted")

// connPool hands out at most max connections.
type connPool struct {
	mu   sync.Mutex
	max  int
	open int
	idle []*conn
	dial func(id int) *conn
}

func (p *connPool) get() (*conn, error) {
	if p.open >= p.max { //race:connPool.open
		return nil, errExhausted
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	p.open++ //race:connPool.open
	return p.dial(p.open), nil
}

func (p *connPool) put(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.broken {
		p.open-- //race:connPool.open
		return
	}
	p.idle = append(p.idle, c)
}

func (p *connPool) with(f func(*conn) error) error {
	c, err := p.get()
	if err != nil {
		return err
	}
	defer p.put(c)
	if err = f(c); err != nil {
		c.broken = true
	}
	time.Sleep(100 * time.Microsecond)
	return err
}
