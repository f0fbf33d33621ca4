package election

import "time"

// Callbacks are called by the elector's own goroutine.
type Callbacks struct {
	OnStarted func(term int)
	OnStopped func()
}

// Elector takes part in an election.
type Elector struct {
	cb    Callbacks
	lease time.Duration
}

// New makes an elector.
func New(lease time.Duration, cb Callbacks) *Elector { return &Elector{cb, lease} }

// Run wins and loses the lead a few times.
func (e *Elector) Run(terms int) {
	for t := 1; t <= terms; t++ {
		e.cb.OnStarted(t)
		time.Sleep(e.lease)
		e.cb.OnStopped()
		time.Sleep(e.lease / 2)
	}
}
