package main

import (
	"context"
	"errors"
	"time"
)

var errNXDomain = errors.New("no such host")

type resolver struct {
	zone   map[string]string
	ttl    time.Duration
	misses map[string]time.Time
}

func newResolver(ctx context.Context, zone map[string]string, ttl time.Duration) *resolver {
	r := &resolver{zone: zone, ttl: ttl, misses: make(map[string]time.Time)}
	go r.forget(ctx)
	return r
}

func (r *resolver) lookup(name string) (string, error) {
	if at, ok := r.misses[name]; ok && time.Since(at) < r.ttl { //race:resolver.misses[]
		return "", errNXDomain
	}
	addr, ok := r.zone[name]
	if !ok {
		r.misses[name] = time.Now() //race:resolver.misses[]
		return "", errNXDomain
	}
	return addr, nil
}

// forget drops misses that are too old to be believed.
func (r *resolver) forget(ctx context.Context) {
	tick := time.NewTicker(r.ttl)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for name, at := range r.misses { //race:resolver.misses[]
				if now.Sub(at) > r.ttl {
					delete(r.misses, name) //race:resolver.misses[]
				}
			}
		}
	}
}
