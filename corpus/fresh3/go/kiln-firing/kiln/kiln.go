// Package kiln fires pots.
package kiln

import (
	"fmt"
	"time"
)

// State is how a firing goes.
type State string

// Kiln fires one load.
type Kiln struct {
	limit int
	state State
	fault error
	cold  chan struct{}
}

// New returns a kiln that stands a heat.
func New(limit int) *Kiln {
	return &Kiln{limit: limit, state: "empty", cold: make(chan struct{})}
}

// Fire heats step by step in the background.
func (k *Kiln) Fire(steps ...int) {
	k.state = "firing"
	go k.burn(steps)
}

func (k *Kiln) burn(steps []int) {
	defer close(k.cold)
	defer time.Sleep(8 * time.Millisecond)
	defer func() {
		if cause := recover(); cause != nil {
			k.fail(cause)
		}
	}()
	for _, degrees := range steps {
		time.Sleep(2 * time.Millisecond)
		k.heat(degrees)
	}
}

func (k *Kiln) heat(degrees int) {
	if degrees > k.limit {
		panic(fmt.Sprintf("%d degrees are too hot", degrees))
	}
}

func (k *Kiln) fail(cause any) {
	k.state = "failed"                      //race:Kiln.state
	k.fault = fmt.Errorf("kiln: %v", cause) //race:Kiln.fault
}
