// Package geo finds places.
package geo

import (
	"context"
	"errors"
	"time"
)

// Reply is where a place is.
type Reply struct {
	Lat, Lon float64
	Source   string
}

// Backend finds a place and takes its time.
type Backend interface {
	Resolve(place string, into *Reply)
}

// ErrSlow says that the backend took too long.
var ErrSlow = errors.New("geo: too slow")

// Locate asks the backend and gives up when the context ends.
func Locate(ctx context.Context, b Backend, place string, into *Reply) error {
	finished := make(chan struct{})
	go func() {
		b.Resolve(place, into)
		close(finished)
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		return ErrSlow
	}
}

// Atlas is a backend that has all places in a table.
type Atlas struct {
	Delay time.Duration
}

// Resolve fills in the reply.
func (a Atlas) Resolve(place string, into *Reply) {
	time.Sleep(a.Delay)
	into.Lat = float64(len(place)) //race:Reply.Lat
	into.Source = "atlas"          //race:Reply.Source
	time.Sleep(4 * a.Delay)
}
