package kv

import (
	"errors"
	"sync"
)

var ErrMissing = errors.New("missing key")

// Cluster is a replicated store of keys and values.
type Cluster struct {
	mu    sync.RWMutex
	nodes int
	data  map[string]string
}

func NewCluster(nodes int) *Cluster {
	return &Cluster{nodes: nodes, data: make(map[string]string)}
}

func (c *Cluster) Put(k, v string) {
	c.mu.Lock()
	c.data[k] = v
	c.mu.Unlock()
}

func (c *Cluster) Get(k string) (string, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.data[k]
	if !ok {
		return "", ErrMissing
	}
	return v, nil
}
