// Package agent measures a machine.
package agent

import "time"

// Sink takes measurements.
type Sink interface {
	Emit(name string, value float64)
}

// Option changes an agent.
type Option func(a *Agent)

// WithSink says where measurements go.
func WithSink(s Sink) Option {
	return func(a *Agent) {
		a.sink = s //race:Agent.sink
	}
}

// WithEvery says how often to measure.
func WithEvery(d time.Duration) Option {
	return func(a *Agent) {
		a.every = d //race:Agent.every
	}
}
