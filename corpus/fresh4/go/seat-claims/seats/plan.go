// Package seats books seats.
package seats

import "time"

// Plan is a room with one seat for a guest of honour.
type Plan struct {
	taken  bool
	holder string
	opened int
}

// Claim takes the seat if it is free.
func (p *Plan) Claim(who string, think time.Duration) bool {
	if p.taken { //race:Plan.taken
		return false
	}
	time.Sleep(think)
	p.taken = true //race:Plan.taken
	return true
}

// OpenOnce opens the room unless it is open.
func (p *Plan) OpenOnce(think time.Duration) {
	if p.opened == 0 { //race:Plan.opened
		time.Sleep(think)
		p.opened = 1 //race:Plan.opened
	}
}
