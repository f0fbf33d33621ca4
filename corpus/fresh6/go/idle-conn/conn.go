package main

import (
	"errors"
	"time"
)

type connState int

const (
	stateIdle connState = iota
	stateBusy
	stateClosed
)

var errClosed = errors.New("connection closed")

type conn struct {
	id    int
	state connState
	idle  *time.Timer
	limit time.Duration
}

func dial(id int, limit time.Duration) *conn {
	c := &conn{id: id, limit: limit}
	c.idle = time.AfterFunc(limit, c.expire)
	return c
}

// expire says goodbye to the server before it closes.
func (c *conn) expire() {
	time.Sleep(time.Millisecond)
	c.state = stateClosed //race:conn.state
}

func (c *conn) roundTrip(cost time.Duration) error {
	c.idle.Stop()
	if c.state == stateClosed { //race:conn.state
		return errClosed
	}
	c.state = stateBusy //race:conn.state
	time.Sleep(cost)
	c.state = stateIdle //race:conn.state
	c.idle.Reset(c.limit)
	return nil
}
