// Package publish hands events to a broker and tries again when it has to.
package publish

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// retryDelay is the pause after a failure; tests make it shorter.
var retryDelay = 30 * time.Millisecond

// Broker takes events.
type Broker interface {
	Put(event string) error
}

// Publisher sends events in the background.
type Publisher struct {
	broker   Broker
	attempts int64
	cancel   context.CancelFunc
}

// Start returns a publisher that sends its events until it is stopped.
func Start(broker Broker, events ...string) *Publisher {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Publisher{broker: broker, cancel: cancel}
	go p.run(ctx, events)
	return p
}

func (p *Publisher) run(ctx context.Context, events []string) {
	for _, event := range events {
		for p.deliver(event) != nil {
			if ctx.Err() != nil {
				return
			}
			p.pause()
		}
	}
}

func (p *Publisher) deliver(event string) error {
	atomic.AddInt64(&p.attempts, 1)
	if event == "" {
		return errors.New("publish: empty event")
	}
	return p.broker.Put(event)
}

func (p *Publisher) pause() {
	time.Sleep(retryDelay) //race:retryDelay
}

// Attempts says how often an event was offered.
func (p *Publisher) Attempts() int64 {
	return atomic.LoadInt64(&p.attempts)
}
