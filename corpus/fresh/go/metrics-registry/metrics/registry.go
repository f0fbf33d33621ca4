// Package metrics counts things.
package metrics

import (
	"fmt"
	"io"
	"sort"
)

// Class tells counters from gauges.
type Class int

// The classes of metrics.
const (
	Counter Class = iota
	Gauge
)

type series map[string]float64

// Registry has every metric.
type Registry struct {
	counters series
	gauges   series
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{counters: series{}, gauges: series{}}
}

//go:noinline
func (r *Registry) class(c Class) series {
	if c == Gauge {
		return r.gauges
	}
	return r.counters
}

//go:noinline
func put(s series, name string, v float64, add bool) {
	if add {
		v += s[name]
	}
	s[name] = v
}

//go:noinline
func names(s series) []string {
	list := make([]string, 0, len(s))
	for name := range s {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// Inc adds one to a counter.
func (r *Registry) Inc(name string) {
	put(r.class(Counter), name, 1, true) //race:Registry.counters
}

// Set gives a gauge its value.
func (r *Registry) Set(name string, v float64) {
	put(r.class(Gauge), name, v, false) //race:Registry.gauges
}

// Write prints the names of all metrics.
func (r *Registry) Write(w io.Writer) {
	for _, name := range names(r.class(Counter)) { //race:Registry.counters
		fmt.Fprintf(w, "# TYPE %s counter\n", name)
	}
	for _, name := range names(r.class(Gauge)) { //race:Registry.gauges
		fmt.Fprintf(w, "# TYPE %s gauge\n", name)
	}
}
