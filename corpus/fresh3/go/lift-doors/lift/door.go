// Package lift opens and shuts the doors of a lift.
package lift

import "time"

// State is where a door is.
type State int

// The states of a door.
const (
	Shut State = iota
	Open
	Held
)

// Motor moves a door.
type Motor struct {
	Takes time.Duration
}

func (m Motor) run() {
	time.Sleep(m.Takes)
}

// Door shuts by itself.
type Door struct {
	motor Motor
	wait  time.Duration
	timer *time.Timer
	state State
	moves int
}

// NewDoor returns a door that is shut.
func NewDoor(motor Motor, wait time.Duration) *Door {
	return &Door{motor: motor, wait: wait}
}
