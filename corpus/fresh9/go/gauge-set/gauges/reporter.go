package gauges

import (
	"fmt"
	"time"
)

// Reporter measures a subsystem.
type Reporter struct {
	subsystem string
	registry  Registry
	pause     time.Duration
}

// NewReporter reports into a registry.
func NewReporter(subsystem string, r Registry, pause time.Duration) *Reporter {
	return &Reporter{subsystem: subsystem, registry: r, pause: pause}
}

// Run measures a number of times.
func (r *Reporter) Run(times int, done chan<- string) {
	for i := 0; i < times; i++ {
		r.registry.Set(fmt.Sprintf("%s_%d", r.subsystem, i%3), float64(i))
		time.Sleep(r.pause)
	}
	done <- r.subsystem
}
