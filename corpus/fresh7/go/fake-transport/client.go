package client

import (
	"errors"
	"strings"
)

// Transport sends one request and returns the body of the answer.
type Transport interface {
	RoundTrip(method, path string, body []byte) ([]byte, error)
}

// Client is a client of the catalogue service.
type Client struct {
	transport Transport
	prefix    string
}

// New returns a client that uses t.
func New(t Transport, prefix string) *Client {
	return &Client{transport: t, prefix: strings.TrimSuffix(prefix, "/")}
}

var errEmpty = errors.New("empty answer")

// Get fetches an item.
func (c *Client) Get(id string) (string, error) {
	body, err := c.transport.RoundTrip("GET", c.prefix+"/items/"+id, nil)
	if err != nil {
		return "", err
	}
	if len(body) == 0 {
		return "", errEmpty
	}
	return string(body), nil
}

// Delete removes an item.
func (c *Client) Delete(id string) error {
	_, err := c.transport.RoundTrip("DELETE", c.prefix+"/items/"+id, nil)
	return err
}
