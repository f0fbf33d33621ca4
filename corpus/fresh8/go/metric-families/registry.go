package main

import (
	"fmt"
	"sync"
)

type family struct {
	name string
	help string
	kind string
}

// registry holds the metric families that are exposed.
type registry struct {
	namespace string
	families  map[string]*family
}

func newRegistry(namespace string) *registry {
	return &registry{namespace: namespace, families: make(map[string]*family)}
}

func (r *registry) register(f *family) {
	r.families[r.namespace+"_"+f.name] = f //race:registry.families[]
}

type collector interface {
	describe() []*family
}

type procCollector struct{ pid int }

func (p procCollector) describe() []*family {
	return []*family{{"cpu_seconds", "CPU time", "counter"}, {"open_fds", "open files", "gauge"}}
}

type diskCollector struct{ device string }

func (d diskCollector) describe() []*family {
	return []*family{{d.device + "_reads", "reads", "counter"}, {d.device + "_writes", "writes", "counter"}}
}

func setup(r *registry, collectors []collector) {
	var wg sync.WaitGroup
	for _, c := range collectors {
		wg.Add(1)
		go func(c collector) {
			defer wg.Done()
			for _, f := range c.describe() {
				r.register(f)
			}
		}(c)
	}
	wg.Wait()
}

func main() {
	r := newRegistry("node")
	setup(r, []collector{procCollector{1}, diskCollector{"sda"}})
	fmt.Println("families", len(r.families) > 0)
}
