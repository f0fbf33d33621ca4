// Package client submits jobs.
package client

import (
	"errors"
	"time"

	"github.com/deadheat-corpus/dispatchchannels/dispatch"
)

// ErrNight is the fault of jobs that run at the wrong time.
var ErrNight = errors.New("client: not at night")

// Client submits a job now and then.
type Client struct {
	submit func(dispatch.Job)
	pause  time.Duration
}

// New returns a client of a dispatcher.
func New(d *dispatch.Dispatcher, pause time.Duration) *Client {
	return &Client{submit: d.Submit, pause: pause}
}

// Run submits so many jobs.
func (c *Client) Run(jobs int) {
	for ; jobs > 0; jobs-- {
		time.Sleep(c.pause)
		c.submit(c.nightly)
	}
}

func (c *Client) nightly() error {
	return ErrNight
}
