// Package crawl visits pages.
package crawl

import (
	"context"
	"time"
)

// Visit is a visit of one page.
type Visit struct {
	url    string
	status string
	ready  chan struct{}
}

// Page fetches a page.
type Page func(url string) string

// Begin starts a visit.
func Begin(url string, page Page) *Visit {
	v := &Visit{url: url, ready: make(chan struct{}, 1)}
	go v.fetch(page)
	return v
}

func (v *Visit) fetch(page Page) {
	v.status = page(v.url) //race:Visit.status
	time.Sleep(20 * time.Millisecond)
	v.ready <- struct{}{}
}

// Await waits for the page or the end of the context.
func (v *Visit) Await(ctx context.Context) string {
	select {
	case <-v.ready:
		return v.status //race:Visit.status
	case <-ctx.Done():
		v.status = "timeout" //race:Visit.status
		return v.status      //race:Visit.status
	}
}
