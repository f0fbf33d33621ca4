// Package hooks tells other systems what happened.
package hooks

import (
	"context"
	"errors"
	"sync"
)

// Event is what happened.
type Event struct {
	Kind string
	ID   int
}

// Endpoint takes events.
type Endpoint func(ctx context.Context, e Event) error

// Dispatcher delivers events to endpoints.
type Dispatcher struct {
	endpoints map[string]Endpoint
	retries   int
}

// NewDispatcher makes one that tries some more times.
func NewDispatcher(retries int) *Dispatcher {
	return &Dispatcher{endpoints: map[string]Endpoint{}, retries: retries}
}

// Handle sets the endpoint of a kind. It is called before Deliver.
func (d *Dispatcher) Handle(kind string, e Endpoint) { d.endpoints[kind] = e }

// Deliver sends all events at the same time.
func (d *Dispatcher) Deliver(ctx context.Context, events ...Event) error {
	errs := make([]error, len(events))
	var wg sync.WaitGroup
	for i, e := range events {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = d.one(ctx, e)
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (d *Dispatcher) one(ctx context.Context, e Event) (err error) {
	send, ok := d.endpoints[e.Kind]
	if !ok {
		return errors.New("no endpoint for " + e.Kind)
	}
	for try := 0; try <= d.retries; try++ {
		if err = send(ctx, e); err == nil {
			return nil
		}
	}
	return err
}
