// Package deploy brings a release to its hosts.
package deploy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Step is one thing to do.
type Step func(ctx context.Context) error

// Plan is what a release needs.
type Plan struct {
	Release string
	Warm    Step
	Migrate Step
	Switch  Step
}

// Result says how it went.
type Result struct {
	Release  string
	Duration time.Duration
	Warmed   bool
}

// ErrNoRelease is returned for a plan without a name.
var ErrNoRelease = errors.New("deploy: no release")

// Deploy carries a plan out. Warming is optional, so it runs beside the rest.
func Deploy(ctx context.Context, p Plan) (*Result, error) {
	if p.Release == "" {
		return nil, ErrNoRelease
	}
	begin := time.Now()
	warmed := make(chan bool, 1)
	var err error
	go func() {
		if err = p.Warm(ctx); err != nil { //race:Deploy.err
			warmed <- false
			return
		}
		warmed <- true
	}()
	if err = p.Migrate(ctx); err != nil { //race:Deploy.err
		return nil, fmt.Errorf("deploy: migrate %s: %w", p.Release, err)
	}
	if err = p.Switch(ctx); err != nil { //race:Deploy.err
		return nil, fmt.Errorf("deploy: switch %s: %w", p.Release, err)
	}
	r := &Result{Release: p.Release, Warmed: <-warmed}
	r.Duration = time.Since(begin)
	return r, nil
}
