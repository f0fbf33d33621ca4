// Package lease lets one of many do a job.
package lease

import "time"

// Lease belongs to a holder until it expires.
type Lease struct {
	holder string
	expiry *time.Timer
	notify func(string)
}

// Grant gives a lease to a holder for some time.
func Grant(holder string, ttl time.Duration, notify func(string)) *Lease {
	l := &Lease{holder: holder, notify: notify}
	l.expiry = time.AfterFunc(ttl, l.expire)
	return l
}

func (l *Lease) expire() {
	l.notify("expiring")
	l.holder = "" //race:Lease.holder
	l.notify("expired")
}

// Renew stops the clock and gives the lease to somebody else.
func (l *Lease) Renew(holder string) {
	l.expiry.Stop()
	l.holder = holder //race:Lease.holder
}
