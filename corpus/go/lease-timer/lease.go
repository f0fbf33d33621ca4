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
		l.expired = true
	})
	return l
}

// Renew makes the lease last longer.
func (l *Lease) Renew(d time.Duration) {
	l.timer.Stop()
	l.expired = false
	l.timer.Reset(d)
}
