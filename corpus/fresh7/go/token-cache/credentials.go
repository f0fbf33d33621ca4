package main

import (
	"context"
	"errors"
	"time"
)

type issuer interface {
	Issue(ctx context.Context, role string) (secret string, ttl time.Duration, err error)
}

// credentials holds what requests are signed with.
type credentials struct {
	role   string
	from   issuer
	secret string
	expiry time.Time
}

var errExpired = errors.New("credential has expired")

func (c *credentials) refresh(ctx context.Context) error {
	secret, ttl, err := c.from.Issue(ctx, c.role)
	if err != nil {
		return err
	}
	c.secret = secret              //race:credentials.secret
	c.expiry = time.Now().Add(ttl) //race:credentials.expiry
	return nil
}

func (c *credentials) keep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.refresh(ctx); err != nil {
				return
			}
		}
	}
}

func (c *credentials) header() (string, error) {
	if time.Now().After(c.expiry) { //race:credentials.expiry
		return "", errExpired
	}
	return "Bearer " + c.secret, nil //race:credentials.secret
}
