// Package debounce joins many events into one.
package debounce

import "time"

// Debounce holds an event back for a while.
type Debounce struct {
	queued  string
	flushes int
	timer   *time.Timer
	gap     time.Duration
	sink    func(string)
}

// New returns a debouncer that gives events to a sink.
func New(gap time.Duration, sink func(string)) *Debounce {
	return &Debounce{gap: gap, sink: sink}
}

// Offer queues an event in the place of the last.
func (d *Debounce) Offer(event string) {
	d.queued = event
	d.timer = time.AfterFunc(d.gap, func() { d.flush() })
}

func (d *Debounce) flush() {
	event := d.queued //race:Debounce.queued
	d.sink(event)
	d.queued = "" //race:Debounce.queued
	d.flushes++   //race:Debounce.flushes
}

// Stop sends what is queued without waiting for the timer.
func (d *Debounce) Stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.queued = "" //race:Debounce.queued
	d.flushes++   //race:Debounce.flushes
}
