// Package elect lets one of many processes lead.
package elect

import "time"

// Callbacks are called when leadership changes.
type Callbacks struct {
	OnStarted func()
	OnLost    func()
}

// Elector tries to lead.
type Elector struct {
	cb      Callbacks
	leading bool
	terms   []time.Time
}

// NewElector returns an elector that does not lead yet.
func NewElector(cb Callbacks) *Elector {
	return &Elector{cb: cb, terms: make([]time.Time, 0, 4)}
}

func (e *Elector) becomeLeader() {
	if e.leading { //race:Elector.leading
		return
	}
	e.cb.OnStarted()
	e.leading = true //race:Elector.leading
}

// Renew tries to renew the lease after some time.
func (e *Elector) Renew(after time.Duration) *time.Timer {
	return time.AfterFunc(after, e.tryAcquireOrRenew)
}

func (e *Elector) tryAcquireOrRenew() {
	e.becomeLeader()
	time.Sleep(25 * time.Millisecond)
}

// Watch follows changes of the lease.
func (e *Elector) Watch(changes <-chan string, me string) {
	for holder := range changes {
		if holder == me {
			e.becomeLeader()
		}
	}
}
