package trace

import "sort"

// Line is a pair as it is sent.
type Line struct {
	Key, Value string
}

func lines(m map[string]string) []Line {
	list := make([]Line, 0, len(m))
	for key, value := range m {
		list = append(list, Line{key, value})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	return list
}

// Exporter sends spans.
type Exporter struct {
	Send func(name string, lines []Line)
}

// Export sends one span.
func (e *Exporter) Export(s *Span) {
	tags := lines(s.tags)       //race:Span.tags[]
	baggage := lines(s.baggage) //race:Span.baggage[]
	e.Send(s.Name, append(tags, baggage...))
}
