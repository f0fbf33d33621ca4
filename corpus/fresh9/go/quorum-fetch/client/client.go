package client

import (
	"errors"
	"fmt"
	"sync"
)

// Replica answers reads.
type Replica interface {
	Ping() error
	Read(key string) (string, error)
}

// ErrQuorum is returned if too few replicas have answered.
var ErrQuorum = errors.New("no quorum")

// Client reads from a group of replicas.
type Client struct{ replicas []Replica }

// New makes a client.
func New(rs ...Replica) *Client { return &Client{rs} }

// Get reads a key from all replicas and returns the value most of them have.
func (c *Client) Get(key string) (string, error) {
	if len(c.replicas) == 0 {
		return "", ErrQuorum
	}
	err := c.replicas[0].Ping()
	if err != nil {
		return "", fmt.Errorf("ping: %w", err)
	}
	values := make([]string, len(c.replicas))
	var wg sync.WaitGroup
	for i, r := range c.replicas {
		wg.Add(1)
		go func(i int, r Replica) {
			defer wg.Done()
			values[i], err = r.Read(key) //race:err
		}(i, r)
	}
	wg.Wait()
	if err != nil {
		return "", err
	}
	return majority(values)
}

func majority(values []string) (string, error) {
	votes := map[string]int{}
	for _, v := range values {
		votes[v]++
		if votes[v] > len(values)/2 {
			return v, nil
		}
	}
	return "", ErrQuorum
}
