// Package server answers clients.
package server

import (
	"context"
	"time"

	"github.com/deadheat-corpus/fetchlimit/exec"
)

// Conn is one client.
type Conn struct {
	slow []string
}

// Query runs a query and returns how many rows it gave.
func (c *Conn) Query(ctx context.Context, limit int) (int, error) {
	e := exec.NewIndexLookup(limit)
	if err := e.Open(ctx); err != nil {
		return 0, err
	}
	total := 0
	for rows := e.Next(); len(rows) > 0; rows = e.Next() {
		total += len(rows)
	}
	if err := e.Close(); err != nil {
		return total, err
	}
	time.Sleep(2 * time.Millisecond) // flush to the client
	c.finish(e)
	return total, nil
}

func (c *Conn) finish(e *exec.IndexLookup) {
	c.slow = append(c.slow, e.Stats.String())
}

// SlowLog returns the lines written so far.
func (c *Conn) SlowLog() []string {
	return c.slow
}
