// Package discovery keeps a list of backends from DNS.
package discovery

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

var lookupSRV = func(service string) ([]string, error) {
	return nil, errors.New("no resolver for " + service)
}

// Set is the backends of a service.
type Set struct {
	service string
	addrs   atomic.Pointer[[]string]
	done    chan struct{}
}

// Watch refreshes a service until the context ends.
func Watch(ctx context.Context, service string, every time.Duration) *Set {
	s := &Set{service: service, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			s.refresh()
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

func (s *Set) refresh() {
	addrs, err := lookupSRV(s.service) //race:lookupSRV
	if err != nil {
		return
	}
	s.addrs.Store(&addrs)
}

// Addrs is what is known now.
func (s *Set) Addrs() []string {
	if p := s.addrs.Load(); p != nil {
		return *p
	}
	return nil
}

// Wait returns when nothing is refreshed any more.
func (s *Set) Wait() { <-s.done }
