package trace

import (
	"context"
	"time"
)

type Attr struct {
	Key   string
	Value any
}

type Event struct {
	Name string
	At   time.Time
}

// Span is one operation of a trace.
type Span struct {
	name   string
	start  time.Time
	attrs  []Attr
	events []Event
}

type spanKey struct{}

func Start(ctx context.Context, name string) (context.Context, *Span) {
	s := &Span{name: name, start: time.Now()}
	return context.WithValue(ctx, spanKey{}, s), s
}

func FromContext(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

func (s *Span) Set(key string, value any) {
	if s == nil {
		return
	}
	s.attrs = append(s.attrs, Attr{key, value}) //race:Span.attrs
}

func (s *Span) AddEvent(name string) {
	if s == nil {
		return
	}
	s.events = append(s.events, Event{name, time.Now()}) //race:Span.events
}

func (s *Span) Size() int { return len(s.attrs) + len(s.events) }
