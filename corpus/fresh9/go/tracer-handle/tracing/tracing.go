package tracing

import "time"

// Tracer makes spans.
type Tracer struct {
	service string
	started time.Time
}

// Span is one operation.
type Span struct {
	Name  string
	begin time.Time
}

// Start begins a span.
func (t *Tracer) Start(name string) *Span {
	return &Span{Name: t.service + "." + name, begin: time.Now()} //race:Tracer.service
}

// End gives the time a span has taken.
func (s *Span) End() time.Duration { return time.Since(s.begin) }

// Client is handed to all parts of a service.
type Client struct {
	Service string
	tracer  *Tracer
}

// Tracer returns the tracer of the client.
func (c *Client) Tracer() *Tracer {
	if c.tracer != nil { //race:Client.tracer
		return c.tracer //race:Client.tracer
	}
	t := &Tracer{service: c.Service, started: time.Now()} //race:Tracer.service
	c.tracer = t                                          //race:Client.tracer
	return t
}
