// Package controller brings the world into the state that is wished for.
package controller

import (
	"context"
	"time"
)

// Result says when to look again.
type Result struct {
	RequeueAfter time.Duration
}

// Reconciler does one step.
type Reconciler interface {
	Reconcile(ctx context.Context, key string) (Result, error)
}

// Recorder is told about every step.
type Recorder interface {
	Observe(key string)
}

// Controller calls its reconciler for each key of its queue.
type Controller struct {
	Name    string
	Do      Reconciler
	metrics Recorder
	queue   chan string
}

// New returns a controller with an empty queue.
func New(name string, do Reconciler) *Controller {
	return &Controller{Name: name, Do: do, queue: make(chan string, 16)}
}

// Enqueue asks for a key to be looked at.
func (c *Controller) Enqueue(keys ...string) *Controller {
	for _, key := range keys {
		c.queue <- key
	}
	return c
}

// InjectMetrics sets the recorder.
func (c *Controller) InjectMetrics(r Recorder) {
	c.metrics = r //race:Controller.metrics
}

// Start works until the context ends.
func (c *Controller) Start(ctx context.Context) error {
	for {
		select {
		case key := <-c.queue:
			c.processNextItem(ctx, key)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *Controller) processNextItem(ctx context.Context, key string) {
	res, err := c.Do.Reconcile(ctx, key)
	if err != nil || res.RequeueAfter > 0 {
		return
	}
	if rec := c.metrics; rec != nil { //race:Controller.metrics
		rec.Observe(key)
	}
}
