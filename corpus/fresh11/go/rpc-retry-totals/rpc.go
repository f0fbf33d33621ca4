// Package rpc calls services again if they fail.
package rpc

import "errors"

// ErrBusy is worth another try.
var ErrBusy = errors.New("busy")

// Client calls one service.
type Client struct {
	Transport func(method string, try int) error
	Limit     int
	retries   int
}

// Call calls until it works or the limit is reached.
func (c *Client) Call(method string) error {
	for try := 0; ; try++ {
		err := c.Transport(method, try)
		if !errors.Is(err, ErrBusy) || try == c.Limit {
			return err
		}
		c.retries++ //race:Client.retries
	}
}

// Retries is how often calls were repeated.
func (c *Client) Retries() int { return c.retries }
