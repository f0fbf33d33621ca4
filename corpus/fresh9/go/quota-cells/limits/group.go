package limits

import "sync"

// Group has a limiter for each tenant.
type Group struct {
	mu      sync.RWMutex
	byName  map[string]*Limiter
	rate    float64
	burst   float64
	refused int
}

// NewGroup makes limiters of the given rate when they are needed.
func NewGroup(rate, burst float64) *Group {
	return &Group{byName: map[string]*Limiter{}, rate: rate, burst: burst}
}

func (g *Group) get(name string) *Limiter {
	g.mu.RLock()
	l, ok := g.byName[name]
	g.mu.RUnlock()
	if ok {
		return l
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if l, ok := g.byName[name]; ok {
		return l
	}
	l = New(g.rate, g.burst)
	g.byName[name] = l
	return l
}

// Allow takes a token of a tenant.
func (g *Group) Allow(name string) bool { return g.get(name).Allow() }

// Override changes the rate of a tenant.
func (g *Group) Override(name string, rate float64) { g.get(name).SetRate(rate) }
