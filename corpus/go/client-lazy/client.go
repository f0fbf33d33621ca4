package kvclient

import "time"

type conn struct {
	addr string
}

// Client connects at its first request.
type Client struct {
	addr string
	conn *conn
}

func dial(addr string) *conn {
	time.Sleep(time.Millisecond)
	return &conn{addr: addr}
}

func (c *Client) connect() *conn {
	if c.conn == nil { //race:Client.conn
		c.conn = dial(c.addr) //race:Client.conn
	}
	return c.conn //race:Client.conn
}

// Get asks for a key.
func (c *Client) Get(key string) string {
	return c.connect().addr + "/" + key
}
