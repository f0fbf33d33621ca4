// Package feed shows a stream.
package feed

import (
	"context"

	"github.com/deadheat-corpus/stream/stream"
)

// Feed is a view of a stream.
type Feed struct {
	*stream.Stream
	cancel context.CancelFunc
}

// New opens a feed.
func New() *Feed {
	ctx, cancel := context.WithCancel(context.Background())
	return &Feed{stream.Open(ctx), cancel}
}

// Stop ends the feed.
func (f *Feed) Stop() {
	f.cancel()
}

// State is what a page shows.
func (f *Feed) State() (int, bool) {
	return f.number(), f.failed()
}

func (f *Feed) number() int {
	return f.Last()
}

func (f *Feed) failed() bool {
	return f.Err() != nil
}
