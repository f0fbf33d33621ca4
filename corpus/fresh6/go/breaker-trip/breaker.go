package main

import (
	"context"
	"errors"
	"time"
)

var (
	errOpen    = errors.New("circuit open")
	errTimeout = errors.New("upstream timeout")
)

// breaker stops calling an upstream that fails.
type breaker struct {
	threshold int
	cooldown  time.Duration
	failures  int
	openedAt  int64
}

func (b *breaker) ready() bool {
	at := b.openedAt //race:breaker.openedAt
	return at == 0 || time.Now().UnixNano()-at > int64(b.cooldown)
}

func (b *breaker) onResult(err error) {
	if err == nil {
		b.failures = 0 //race:breaker.failures
		b.openedAt = 0 //race:breaker.openedAt
		return
	}
	b.failures++                   //race:breaker.failures
	if b.failures >= b.threshold { //race:breaker.failures
		b.openedAt = time.Now().UnixNano() //race:breaker.openedAt
	}
}

// Do runs a call if the circuit is closed.
func (b *breaker) Do(ctx context.Context, call func(context.Context) error) error {
	if !b.ready() {
		return errOpen
	}
	err := call(ctx)
	b.onResult(err)
	return err
}
