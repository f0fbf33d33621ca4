// Package crane moves containers.
package crane

import "time"

// Hoist lifts.
type Hoist struct {
	Name string
}

func (h *Hoist) lift(container string) string {
	return h.Name + " has " + container
}

// Plan says what comes next.
type Plan struct {
	containers []string
}

func (p *Plan) first() string {
	if len(p.containers) == 0 {
		return ""
	}
	return p.containers[0]
}

// Crane works until it is shut down.
type Crane struct {
	hoist *Hoist
	plan  *Plan
	quit  chan struct{}
	moved chan string
	beat  time.Duration
}

// Start puts a crane to work.
func Start(h *Hoist, p *Plan, beat time.Duration) *Crane {
	c := &Crane{hoist: h, plan: p, quit: make(chan struct{}), moved: make(chan string, 64), beat: beat}
	go c.work()
	return c
}
