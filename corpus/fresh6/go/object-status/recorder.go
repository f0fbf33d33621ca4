package main

import (
	"strings"
	"time"
)

// recorder writes what happens to objects into the event log.
type recorder struct {
	watched []*object
	lines   []string
}

func (r *recorder) describe(o *object) string {
	var b strings.Builder
	b.WriteString(o.name)
	b.WriteString(": ")
	b.WriteString(o.phase) //race:object.phase
	b.WriteString(" ")
	b.WriteString(o.message) //race:object.message
	return b.String()
}

func (r *recorder) run(every time.Duration, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(every):
			for _, o := range r.watched {
				r.lines = append(r.lines, r.describe(o))
			}
		}
	}
}
