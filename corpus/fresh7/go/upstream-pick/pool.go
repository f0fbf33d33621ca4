package main

import (
	"errors"
	"sort"
	"sync/atomic"
)

type upstream struct {
	addr   string
	weight int
	active int64
}

func (u *upstream) load() float64 {
	return float64(atomic.LoadInt64(&u.active)) / float64(u.weight)
}

var errNoUpstream = errors.New("no upstream")

// pool chooses among the upstreams of a route.
type pool struct {
	route     string
	upstreams []*upstream
}

// pick returns the upstream with the least load.
func (p *pool) pick() (*upstream, error) {
	if len(p.upstreams) == 0 {
		return nil, errNoUpstream
	}
	sort.Slice(p.upstreams, func(i, j int) bool { //race:pool.upstreams[]
		return p.upstreams[i].load() < p.upstreams[j].load() //race:pool.upstreams[]
	})
	return p.upstreams[0], nil //race:pool.upstreams[]
}

func (p *pool) serve(handle func(*upstream)) error {
	u, err := p.pick()
	if err != nil {
		return err
	}
	atomic.AddInt64(&u.active, 1)
	defer atomic.AddInt64(&u.active, -1)
	handle(u)
	return nil
}
