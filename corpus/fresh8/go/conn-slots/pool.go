package main

import (
	"fmt"
	"sync"
	"time"
)

type conn struct {
	id   int
	uses int
}

type poolStats struct {
	idle, open int
}

// pool hands out connections to a database.
type pool struct {
	mu   sync.Mutex
	idle []*conn
	next int
	max  int
}

func (p *pool) get() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1] //race:pool.idle
		return c
	}
	p.next++ //race:pool.next
	return &conn{id: p.next}
}

func (p *pool) put(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < p.max {
		p.idle = append(p.idle, c) //race:pool.idle
	}
}

func (p *pool) stats() poolStats {
	idle := len(p.idle) //race:pool.idle
	open := p.next      //race:pool.next
	return poolStats{idle: idle, open: open}
}

func query(p *pool, n int) {
	for i := 0; i < n; i++ {
		c := p.get()
		c.uses++
		time.Sleep(100 * time.Microsecond)
		p.put(c)
	}
}

func main() {
	p := &pool{max: 4}
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			query(p, 5)
		}()
	}
	time.Sleep(time.Millisecond)
	s := p.stats()
	wg.Wait()
	fmt.Println("open", s.open >= s.idle || s.open >= 0)
}
