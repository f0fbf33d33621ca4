// Package quotes asks several carriers what a parcel would cost.
package quotes

import (
	"context"
	"errors"
	"time"

	"github.com/deadheat-corpus/quotes/future"
)

// Quote is one carrier's price.
type Quote struct {
	Carrier string
	Cents   int
}

// Carrier knows its price after a while.
type Carrier struct {
	Name  string
	Delay time.Duration
	Cents int
}

var errNoService = errors.New("quotes: the carrier does not go there")

func (c Carrier) price() (interface{}, error) {
	time.Sleep(c.Delay)
	if c.Cents == 0 {
		return nil, errNoService
	}
	return Quote{c.Name, c.Cents}, nil
}

// Ask asks a carrier, but not for longer than the limit.
func Ask(ctx context.Context, limit time.Duration, c Carrier) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return future.New(c.price).Start().Wait(ctx)
}

// AskAll returns how many carriers answered in time.
func AskAll(ctx context.Context, limit time.Duration, carriers ...Carrier) int {
	answered := 0
	for _, c := range carriers {
		if Ask(ctx, limit, c) == nil {
			answered++
		}
	}
	return answered
}
