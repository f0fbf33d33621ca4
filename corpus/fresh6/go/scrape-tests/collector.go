package metrics

import (
	"sync"
	"time"
)

// Registry holds gauges by name.
type Registry struct {
	mu     sync.Mutex
	gauges map[string]float64
}

func NewRegistry() *Registry {
	return &Registry{gauges: make(map[string]float64)}
}

func (r *Registry) Set(name string, v float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gauges[name] = v
}

func (r *Registry) Get(name string) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.gauges[name]
	return v, ok
}

// Default is used by collectors that were given none.
var Default = NewRegistry()

type Probe func() (name string, value float64)

type Collector struct {
	probes []Probe
	stop   chan struct{}
	once   sync.Once
}

func Collect(every time.Duration, probes ...Probe) *Collector {
	c := &Collector{probes: probes, stop: make(chan struct{})}
	go c.loop(every)
	return c
}

func (c *Collector) loop(every time.Duration) {
	for {
		for _, p := range c.probes {
			name, v := p()
			Default.Set(name, v) //race:Default
		}
		select {
		case <-c.stop:
			return
		case <-time.After(every):
		}
	}
}

func (c *Collector) Close() { c.once.Do(func() { close(c.stop) }) }
