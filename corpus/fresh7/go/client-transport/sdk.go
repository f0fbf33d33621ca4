package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

type transport struct {
	endpoint string
}

func (t *transport) send(op string) (string, error) {
	if t.endpoint == "" { //race:transport.endpoint
		return "", errors.New("no endpoint")
	}
	return op + "@" + t.endpoint, nil //race:transport.endpoint
}

type options struct {
	region  string
	retries int
}

// Client calls the service.
type Client struct {
	opts options
	tr   *transport
}

func (c *Client) endpoint() string { return c.opts.region + ".api.example.com" }

func (c *Client) transport() *transport {
	if c.tr == nil { //race:Client.tr
		time.Sleep(500 * time.Microsecond)
		t := &transport{endpoint: c.endpoint()} //race:transport.endpoint
		c.tr = t                                //race:Client.tr
	}
	return c.tr //race:Client.tr
}

func (c *Client) call(op string) (out string, err error) {
	for i := 0; i <= c.opts.retries; i++ {
		if out, err = c.transport().send(op); err == nil {
			return out, nil
		}
	}
	return "", err
}

func main() {
	c := &Client{opts: options{region: "eu-1", retries: 1}}
	var wg sync.WaitGroup
	for i, op := range []string{"ListBuckets", "GetObject", "HeadObject"} {
		wg.Add(1)
		go func(op string, delay time.Duration) {
			defer wg.Done()
			time.Sleep(delay)
			_, _ = c.call(op)
		}(op, time.Duration(i)*time.Millisecond)
	}
	wg.Wait()
	fmt.Println("called")
}
