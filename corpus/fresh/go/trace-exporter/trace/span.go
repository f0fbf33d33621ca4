// Package trace measures what happens inside a request.
package trace

import "time"

// Tracer makes spans.
type Tracer struct {
	exporter *Exporter
}

// NewTracer returns a tracer that hands its spans to an exporter.
func NewTracer(e *Exporter) *Tracer {
	return &Tracer{exporter: e}
}

// Span is one piece of work.
type Span struct {
	tracer *Tracer
	name   string
	start  time.Time
	end    time.Time
}

// Start begins a span.
func (t *Tracer) Start(name string) *Span {
	return &Span{tracer: t, name: name, start: time.Now()}
}

// Finish ends the span.
func (s *Span) Finish() {
	s.end = time.Now()
	s.tracer.exporter.export(s)
}
