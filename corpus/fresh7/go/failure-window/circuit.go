package main

import (
	"errors"
	"time"
)

var errOpen = errors.New("circuit is open")

// circuit stops calls to a dependency that keeps failing.
type circuit struct {
	name      string
	threshold int
	failures  int
}

func (c *circuit) allow() error {
	if c.failures >= c.threshold { //race:circuit.failures
		return errOpen
	}
	return nil
}

func (c *circuit) onResult(err error) {
	if err == nil {
		c.failures = 0 //race:circuit.failures
		return
	}
	c.failures++ //race:circuit.failures
}

// call runs f unless the circuit is open.
func (c *circuit) call(f func() error) error {
	if err := c.allow(); err != nil {
		return err
	}
	err := f()
	c.onResult(err)
	return err
}

type invoker func(attempt int) error

func (f invoker) invoke(c *circuit, attempts int) (err error) {
	for i := 0; i < attempts; i++ {
		i := i
		if err = c.call(func() error { return f(i) }); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return err
}
