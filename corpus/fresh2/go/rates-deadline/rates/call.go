// Package rates asks for exchange rates.
package rates

import "context"

// Fetch gets the rate of a currency.
type Fetch func(currency string) (string, error)

type call struct {
	done chan struct{}
	body string
	err  error
}

func start(f Fetch, currency string) *call {
	c := &call{done: make(chan struct{})}
	go c.run(f, currency)
	return c
}

func (c *call) run(f Fetch, currency string) {
	body, err := f(currency)
	c.body = body //race:call.body
	c.err = err   //race:call.err
	close(c.done)
}

func (c *call) wait(ctx context.Context) (string, error) {
	select {
	case <-c.done:
	case <-ctx.Done():
		c.err = ctx.Err() //race:call.err
	}
	body := c.body     //race:call.body
	return body, c.err //race:call.err
}
