// Package trace follows a request through a system.
package trace

// Span is a part of a trace.
type Span struct {
	Name     string
	parent   *Span
	tags     map[string]string
	baggage  map[string]string
	finished chan struct{}
}

// Start begins a span below another one, or at the root.
func Start(name string, parent *Span) *Span {
	return &Span{
		Name:     name,
		parent:   parent,
		tags:     make(map[string]string, 8),
		baggage:  make(map[string]string, 8),
		finished: make(chan struct{}),
	}
}

func put(m map[string]string, key, value string) {
	if value != "" {
		m[key] = value
	}
}

// Tag says something about the span.
func (s *Span) Tag(key, value string) {
	put(s.tags, key, value) //race:Span.tags[]
}

// Carry says something that spans below have as well.
func (s *Span) Carry(key, value string) {
	put(s.baggage, key, value) //race:Span.baggage[]
	if s.parent != nil {
		s.parent.Carry(key, value)
	}
}
