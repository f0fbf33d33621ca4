// Package connpool keeps connections to one upstream open.
package connpool

import (
	"errors"
	"time"
)

// ErrClosed is returned by a pool that has been closed.
var ErrClosed = errors.New("connpool: closed")

// Conn is one upstream connection.
type Conn struct {
	Addr     string
	openedAt time.Time
	open     bool
}

// Close ends the connection.
func (c *Conn) Close() error {
	c.open = false
	return nil
}

// Options configure a pool.
type Options struct {
	Addr     string
	MinIdle  int
	MaxAge   time.Duration
	ReapTick time.Duration
}

// Pool hands out connections.
type Pool struct {
	opts   Options
	idle   []*Conn
	closed bool
	dialed int
}

// New opens the idle connections and starts the reaper.
func New(opts Options) *Pool {
	p := &Pool{opts: opts}
	for i := 0; i < opts.MinIdle; i++ {
		p.idle = append(p.idle, p.dial())
	}
	go p.reapLoop()
	return p
}

func (p *Pool) dial() *Conn {
	p.dialed++
	return &Conn{Addr: p.opts.Addr, openedAt: time.Now(), open: true}
}

// Close ends all idle connections; those handed out are ended when they come back.
func (p *Pool) Close() error {
	var first error
	for _, c := range p.idle {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	p.idle = nil    //race:Pool.idle
	p.closed = true //race:Pool.closed
	return first
}
