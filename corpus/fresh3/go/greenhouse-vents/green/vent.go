// Package green keeps plants neither too warm nor too wet.
package green

import "sync/atomic"

// Vent lets air in.
type Vent struct {
	Name   string
	opened int64
	jammed int64
}

func (v *Vent) swing(wind int) {
	if wind > 8 {
		atomic.AddInt64(&v.jammed, 1) //race:Vent.jammed
		return
	}
	atomic.AddInt64(&v.opened, 1) //race:Vent.opened
}
