// Package limit bounds how many connections are open.
package limit

import (
	"net"
	"sync"
)

// Limiter counts open connections.
type Limiter struct {
	mu   sync.Mutex
	open int
	max  int
}

// New makes a limiter.
func New(max int) *Limiter { return &Limiter{max: max} }

func (l *Limiter) acquire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == l.max {
		return false
	}
	l.open++ //race:Limiter.open
	return true
}

func (l *Limiter) release() {
	l.mu.Lock()
	l.open-- //race:Limiter.open
	l.mu.Unlock()
}

// Full tells the health check to send traffic elsewhere.
func (l *Limiter) Full() bool {
	return l.open >= l.max //race:Limiter.open
}

type conn struct {
	net.Conn
	once    sync.Once
	release func()
}

func (c *conn) Close() error {
	c.once.Do(c.release)
	return c.Conn.Close()
}

// Wrap admits a connection or closes it.
func (l *Limiter) Wrap(c net.Conn) (net.Conn, bool) {
	if !l.acquire() {
		c.Close()
		return nil, false
	}
	return &conn{Conn: c, release: l.release}, true
}
