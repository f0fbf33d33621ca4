package main

import (
	"errors"
	"time"
)

var errFeedClosed = errors.New("feed closed")

type quote struct {
	symbol string
	cents  int
}

type feed struct {
	closed bool
	reason error
	done   chan struct{}
}

func newFeed() *feed { return &feed{done: make(chan struct{}, 2)} }

// shut ends the feed once.
func (f *feed) shut(reason error) {
	if f.closed { //race:feed.closed
		return
	}
	f.closed = true //race:feed.closed
	select {
	case f.done <- struct{}{}:
	default:
	}
}

func (f *feed) produce(quotes []quote) {
	for range quotes {
		time.Sleep(200 * time.Microsecond)
	}
	f.shut(nil)
}

func (f *feed) watchdog(limit time.Duration) {
	time.Sleep(limit)
	f.shut(errFeedClosed)
}
