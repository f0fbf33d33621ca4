package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

type endpoint struct {
	host string
	tls  bool
}

type discovery interface {
	Resolve(region string) (endpoint, error)
}

// Client talks to the service in the region of each call.
type Client struct {
	disc discovery

	mu         sync.RWMutex
	lastRegion string
	lookups    int
	overrides  map[string]endpoint
}

func NewClient(d discovery) *Client {
	return &Client{disc: d, overrides: make(map[string]endpoint)}
}

// Override fixes the endpoint of a region.
func (c *Client) Override(region string, e endpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.overrides[region] = e
}

func (c *Client) endpointFor(region string) (endpoint, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if e, ok := c.overrides[region]; ok {
		return e, nil
	}
	c.lookups++           //race:Client.lookups
	c.lastRegion = region //race:Client.lastRegion
	return c.disc.Resolve(region)
}

// Call sends a request and returns its host.
func (c *Client) Call(region, op string) (string, error) {
	if op == "" {
		return "", errors.New("call without an operation")
	}
	e, err := c.endpointFor(region)
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w", op, region, err)
	}
	time.Sleep(200 * time.Microsecond)
	return e.host, nil
}
