// Package client talks to a server.
package client

import (
	"fmt"
	"time"
)

// Logger writes a line.
type Logger interface {
	Log(args ...any)
}

// Client keeps a connection alive.
type Client struct {
	log   Logger
	beats int
}

// Option changes a client.
type Option func(*Client)

// WithLogger lets a client log.
func WithLogger(l Logger) Option { return func(c *Client) { c.log = l } }

// WithBeats ends the keep-alive after n beats.
func WithBeats(n int) Option { return func(c *Client) { c.beats = n } }

// Dial connects.
func Dial(period time.Duration, opts ...Option) *Client {
	c := &Client{beats: 1}
	for _, opt := range opts {
		opt(c)
	}
	go c.keepAlive(period)
	return c
}

func (c *Client) keepAlive(period time.Duration) {
	for i := 0; i < c.beats; i++ {
		time.Sleep(period)
		c.log.Log(fmt.Sprint("beat ", i)) //race:t.done
	}
	time.Sleep(2 * period)
}
