package lease

import "time"

// Lease is held until it runs out.
type Lease struct {
	timer   *time.Timer
	expired bool
}

// Grant starts a lease.
func Grant(d time.Duration) *Lease {
	l := &Lease{}
	l.timer = time.AfterFunc(d, func() {
		l.expired = true //race:Lease.expired
	})
	return l
}

// Renew makes the lease last longer.
func (l *Lease) Renew(d time.Duration) {
	l.timer.Stop()
	l.expired = false //race:Lease.expired
	l.timer.Reset(d)
}
