package quorum

import "time"

// Client reads from a set of replicas.
type Client struct {
	Replicas []Replica
}

// Get reads once.
func (c *Client) Get() int {
	return c.attempt()
}

func (c *Client) attempt() int {
	n, _ := Read(c.Replicas...)
	return n
}

// Near returns a client of two replicas.
func Near() *Client {
	return &Client{[]Replica{{3, 0}, {4, 20 * time.Millisecond}}}
}
