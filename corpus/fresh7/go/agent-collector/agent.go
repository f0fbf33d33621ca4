package main

import (
	"context"
	"fmt"
	"time"
)

type report struct {
	host  string
	facts [3]string
}

type collector struct {
	name string
	took time.Duration
}

func (c collector) collect() string {
	time.Sleep(c.took)
	return c.name + "=ok"
}

type agent struct {
	collectors []collector
}

// run gathers facts until the context ends.
func (a *agent) run(ctx context.Context, host string) *report {
	r := &report{host: host}
	done := make(chan int, len(a.collectors))
	for i, c := range a.collectors {
		go a.gather(r, i, c, done)
	}
	for range a.collectors {
		select {
		case <-done:
		case <-ctx.Done():
			return r
		}
	}
	return r
}

func (a *agent) gather(r *report, slot int, c collector, done chan<- int) {
	r.facts[slot] = c.collect() //race:report.facts[]
	done <- slot
}

func encode(r *report) string {
	out := r.host
	for i := range r.facts {
		out += " " + r.facts[i] //race:report.facts[]
	}
	return out
}

func main() {
	a := &agent{collectors: []collector{
		{"cpu", 100 * time.Microsecond}, {"disk", 4 * time.Millisecond}, {"net", 200 * time.Microsecond},
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	r := a.run(ctx, "web-1")
	fmt.Println(len(encode(r)) > 0)
	time.Sleep(5 * time.Millisecond)
}
