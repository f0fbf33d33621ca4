package main

import (
	"fmt"
	"strings"
	"sync"
)

type field struct {
	key, value string
}

// logger carries fields that every line of it shows.
type logger struct {
	name   string
	fields []field
}

func newLogger(name string) *logger {
	l := &logger{name: name, fields: make([]field, 0, 8)}
	l.fields = append(l.fields, field{"service", name})
	return l
}

// with derives a logger that has one more field.
func (l *logger) with(key, value string) *logger {
	child := &logger{name: l.name}
	child.fields = append(l.fields, field{key, value}) //race:logger.fields[]
	return child
}

func (l *logger) format(msg string) string {
	var b strings.Builder
	b.WriteString(msg)
	for i := range l.fields {
		f := &l.fields[i]
		fmt.Fprintf(&b, " %s=%q", f.key, f.value) //race:logger.fields[]
	}
	return b.String()
}

type request struct {
	id   string
	path string
}

func handle(base *logger, r request) string {
	log := base.with("request", r.id)
	line := log.format("served " + r.path)
	return strings.ToUpper(line)
}

func main() {
	base := newLogger("gateway")
	requests := []request{{"a1", "/"}, {"b2", "/login"}, {"c3", "/cart"}}
	out := make([]string, len(requests))
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Add(1)
		go func(i int, r request) {
			defer wg.Done()
			out[i] = handle(base, r)
		}(i, r)
	}
	wg.Wait()
	fmt.Println(len(out), "lines")
}
