// Package link keeps tunnels up while they are used.
package link

import "time"

// State is what a link is in.
type State string

// The states of a link.
const (
	Up     State = "up"
	Idle   State = "idle"
	Closed State = "closed"
)

// Link goes idle when nothing is sent.
type Link struct {
	state State
	idle  *time.Timer
	limit time.Duration
}

// Dial brings a link up.
func Dial(limit time.Duration) *Link {
	l := &Link{state: Up, limit: limit}
	l.idle = time.AfterFunc(limit, l.park)
	return l
}

func (l *Link) park() {
	l.state = Idle //race:Link.state
}

// Send keeps the link up.
func (l *Link) Send([]byte) {
	l.idle.Reset(l.limit)
}

// Close takes the link down.
func (l *Link) Close() State {
	l.idle.Stop()
	l.state = Closed //race:Link.state
	return l.state   //race:Link.state
}
