// Package statsd sends counters over UDP.
package statsd

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// FlushInterval is how often clients send.
var FlushInterval = 4 * time.Millisecond

// Client adds up counters between flushes.
type Client struct {
	out  io.Writer
	mu   sync.Mutex
	sums map[string]int
	quit chan struct{}
	done chan struct{}
}

// NewClient starts to flush.
func NewClient(out io.Writer) *Client {
	c := &Client{out: out, sums: map[string]int{}, quit: make(chan struct{}), done: make(chan struct{})}
	go c.loop()
	return c
}

func (c *Client) loop() {
	defer close(c.done)
	for {
		select {
		case <-time.After(FlushInterval): //race:FlushInterval
			c.flush()
		case <-c.quit:
			c.flush()
			return
		}
	}
}

func (c *Client) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, n := range c.sums {
		fmt.Fprintf(c.out, "%s:%d|c\n", name, n)
		delete(c.sums, name)
	}
}

// Count adds to a counter.
func (c *Client) Count(name string, n int) {
	c.mu.Lock()
	c.sums[name] += n
	c.mu.Unlock()
}

// Close flushes for the last time.
func (c *Client) Close() {
	close(c.quit)
	<-c.done
}
