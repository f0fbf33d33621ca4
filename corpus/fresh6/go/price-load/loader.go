package main

import (
	"context"
	"errors"
	"time"
)

type price struct {
	sku   string
	cents int
}

type feed struct {
	delay time.Duration
	list  []price
}

func (f *feed) read() ([]price, error) {
	time.Sleep(f.delay)
	if f.list == nil {
		return nil, errors.New("feed: empty")
	}
	return f.list, nil
}

type loader struct {
	feed  *feed
	limit int
}

// load reads the feed and says how many prices are usable.
func (l *loader) load(ctx context.Context) (n int, err error) {
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		list, rerr := l.feed.read()
		err = rerr //race:err
		for _, p := range list {
			if p.cents > 0 && p.cents < l.limit {
				n++ //race:n
			}
		}
	}()

	select {
	case <-finished:
		return n, err
	case <-ctx.Done():
		return 0, ctx.Err() //race:n,err
	}
}
