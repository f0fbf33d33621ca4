// Package client calls a service that is not always there.
package client

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/deadheat-corpus/jitter/retry"
)

// ErrUnavailable is what the service says when it is busy.
var ErrUnavailable = errors.New("client: unavailable")

// Client calls on behalf of one user.
type Client struct {
	policy *retry.Policy
	calls  int32
}

// New returns a client that tries again by a policy.
func New(p *retry.Policy) *Client {
	return &Client{policy: p}
}

// Get asks for a thing; the service says no twice.
func (c *Client) Get(ctx context.Context, _ string) error {
	return c.policy.Do(ctx, 3, func(context.Context) error {
		if atomic.AddInt32(&c.calls, 1) < 3 {
			return ErrUnavailable
		}
		return nil
	})
}
