// Package upload ships traces.
package upload

import (
	"context"
	"time"
)

// Stats is what an upload has done.
type Stats struct {
	Sent, Bytes int
}

// Uploader sends spans one by one.
type Uploader struct {
	stats Stats
	delay time.Duration
}

// New makes an uploader for a link with a delay.
func New(delay time.Duration) *Uploader { return &Uploader{delay: delay} }

func (u *Uploader) sendAll(spans []string, done chan<- struct{}) {
	for _, s := range spans {
		time.Sleep(u.delay)
		u.stats.Sent++          //race:Uploader.stats
		u.stats.Bytes += len(s) //race:Uploader.stats
	}
	close(done)
}

// Upload sends spans until the context ends.
func (u *Uploader) Upload(ctx context.Context, spans []string) error {
	done := make(chan struct{})
	go u.sendAll(spans, done)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stats returns what was sent.
func (u *Uploader) Stats() Stats { return u.stats } //race:Uploader.stats
