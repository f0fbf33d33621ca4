// Package rig measures a test stand.
package rig

import "time"

// Rig measures until it is torn down.
type Rig struct {
	label string
	limit int
	out   chan string
}

// Option changes a rig.
type Option func(*Rig)

// Label names a rig.
func Label(text string) Option {
	return func(r *Rig) {
		r.label = text //race:Rig.label
	}
}

// Limit ends a rig after n measures.
func Limit(n int) Option {
	return func(r *Rig) {
		r.limit = n //race:Rig.limit
	}
}

// Start returns a rig that measures already.
func Start(opts ...Option) *Rig {
	r := &Rig{limit: 2, out: make(chan string, 8)}
	go r.measure()
	for _, opt := range opts {
		time.Sleep(2 * time.Millisecond)
		opt(r)
	}
	return r
}

func (r *Rig) measure() {
	for i := 0; i < r.limit; i++ { //race:Rig.limit
		name := r.label //race:Rig.label
		time.Sleep(12 * time.Millisecond)
		r.out <- name
	}
}
