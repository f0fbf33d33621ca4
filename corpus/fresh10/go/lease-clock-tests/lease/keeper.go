// Package lease keeps a lease alive.
package lease

import (
	"context"
	"sync/atomic"
	"time"
)

// Clock tells the time.
type Clock interface{ Now() time.Time }

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

// Keeper renews a lease before it ends.
type Keeper struct {
	Clock   Clock
	ttl     time.Duration
	renewed atomic.Int64
	stop    context.CancelFunc
	gone    chan struct{}
}

// NewKeeper makes a keeper that uses the wall clock.
func NewKeeper(ttl time.Duration) *Keeper {
	return &Keeper{Clock: wall{}, ttl: ttl, gone: make(chan struct{})}
}

// Start begins to renew.
func (k *Keeper) Start(ctx context.Context) {
	ctx, k.stop = context.WithCancel(ctx)
	go k.run(ctx)
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.gone)
	var last time.Time
	for ctx.Err() == nil {
		now := k.Clock.Now() //race:Keeper.Clock
		if now.Sub(last) >= k.ttl/2 {
			k.renewed.Add(1)
			last = now
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// Renewals tells how often the lease was renewed.
func (k *Keeper) Renewals() int64 { return k.renewed.Load() }

// Stop ends it.
func (k *Keeper) Stop() {
	k.stop()
	<-k.gone
}
