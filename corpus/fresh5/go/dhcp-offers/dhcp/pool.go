package dhcp

import "time"

type state int

const (
	free state = iota
	offered
	bound
)

// Lease is an address and who has it.
type Lease struct {
	IP     string
	Holder string
	state  state
	expiry *time.Timer
}

// Offer sets a lease aside for a client, for a short time.
func (l *Lease) Offer(mac string, wait time.Duration) {
	l.Holder = mac
	l.state = offered
	l.expiry = time.AfterFunc(wait, l.withdraw)
}

func (l *Lease) withdraw() {
	l.state = free //race:Lease.state
}

// Accept binds the lease to the client to which it was offered.
func (l *Lease) Accept(mac string) bool {
	l.expiry.Stop()
	if l.Holder != mac {
		return false
	}
	l.state = bound //race:Lease.state
	return true
}
