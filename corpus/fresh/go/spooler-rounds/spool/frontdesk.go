package spool

import "time"

// FrontDesk takes jobs from people and prints them now and then.
type FrontDesk struct {
	spooler *Spooler
	totals  chan int64
}

// NewFrontDesk returns a desk in front of a spooler.
func NewFrontDesk(s *Spooler) *FrontDesk {
	return &FrontDesk{spooler: s, totals: make(chan int64, 8)}
}

// Round hands jobs in and has the total noted when they are printed.
func (d *FrontDesk) Round(jobs ...Job) {
	d.spooler.Submit(jobs...)
	go d.note()
}

func (d *FrontDesk) note() {
	time.Sleep(time.Millisecond)
	d.totals <- d.spooler.Drain()
}
