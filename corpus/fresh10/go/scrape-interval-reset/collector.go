package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// window has the results of one interval.
type window struct {
	opened  time.Time
	samples atomic.Int64
}

type collector struct {
	now  window
	rate float64
}

// observe counts a result; scrapes that were given up count for nothing.
func (c *collector) observe(err error) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return
	default:
		c.now.samples.Add(1) //race:window.samples
	}
}

// rotate closes an interval and begins another.
func (c *collector) rotate() {
	if took := time.Since(c.now.opened); took > 0 {
		c.rate = float64(c.now.samples.Load()) / took.Seconds()
	}
	c.now = window{opened: time.Now()} //race:window.samples
}
