package main

import (
	"fmt"
	"io"
	"time"
)

type sample struct {
	name  string
	value float64
}

type exporter struct {
	pool *connPool
	out  io.Writer
}

func (e *exporter) gather() []sample {
	st := &e.pool.stats
	return []sample{
		{"pool_in_use", float64(st.inUse)},       //race:poolStats.inUse
		{"pool_waited_total", float64(st.waits)}, //race:poolStats.waits
		{"pool_size", float64(cap(e.pool.slots))},
	}
}

func (e *exporter) loop(every time.Duration, stop <-chan struct{}) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			for _, s := range e.gather() {
				fmt.Fprintf(e.out, "%s %g\n", s.name, s.value)
			}
		}
	}
}
