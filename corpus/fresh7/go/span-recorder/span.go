package main

import "time"

type event struct {
	name string
	at   time.Time
	attr map[string]string
}

type spanLink struct {
	traceID string
	spanID  string
}

// span is one operation of a trace.
type span struct {
	name   string
	start  time.Time
	end    time.Time
	events []event
	links  []spanLink
}

func startSpan(name string) *span {
	return &span{name: name, start: time.Now()}
}

func (s *span) addEvent(name string, attr map[string]string) {
	s.events = append(s.events, event{name: name, at: time.Now(), attr: attr}) //race:span.events
}

func (s *span) addLink(trace, id string) {
	s.links = append(s.links, spanLink{traceID: trace, spanID: id}) //race:span.links
}

func (s *span) finish() time.Duration {
	s.end = time.Now()
	return s.end.Sub(s.start)
}
