package events

import "time"

// Event of the user interface.
type Event struct {
	Kind string
	X, Y int
}

// Handler is told about events.
type Handler func(Event)

// Pump takes events from a source and hands them on.
type Pump struct {
	source  <-chan Event
	handler Handler
	idle    time.Duration
	done    chan struct{}
}

// Option changes a pump.
type Option func(*Pump)

// WithHandler sets who gets the events.
func WithHandler(h Handler) Option {
	return func(p *Pump) { p.handler = h } //race:Pump.handler
}

// New starts a pump.
func New(source <-chan Event, opts ...Option) *Pump {
	p := &Pump{source: source, idle: time.Millisecond, done: make(chan struct{})}
	go p.run()
	for _, o := range opts {
		o(p)
	}
	return p
}

func (p *Pump) run() {
	defer close(p.done)
	for ev := range p.source {
		if p.handler != nil { //race:Pump.handler
			p.handler(ev) //race:Pump.handler
		}
	}
}

// Wait returns when the source has ended.
func (p *Pump) Wait() { <-p.done }
