// Package proxy forwards requests to the backend with the fewest connections.
package proxy

import (
	"errors"
	"sync"
)

var ErrNoBackend = errors.New("proxy: no backend")

type Backend interface {
	Addr() string
	Forward(path string) (int, error)
}

type Proxy struct {
	mu       sync.Mutex
	backends []Backend
	active   map[string]int
}

func New(backends ...Backend) *Proxy {
	return &Proxy{backends: backends, active: make(map[string]int)}
}

func (p *Proxy) acquire() (Backend, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best Backend
	for _, b := range p.backends {
		if best == nil || p.active[b.Addr()] < p.active[best.Addr()] {
			best = b
		}
	}
	if best == nil {
		return nil, ErrNoBackend
	}
	p.active[best.Addr()]++
	return best, nil
}

func (p *Proxy) release(b Backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active[b.Addr()]--
}

// Handle forwards one request and returns the status.
func (p *Proxy) Handle(path string) (int, error) {
	b, err := p.acquire()
	if err != nil {
		return 503, err
	}
	defer p.release(b)
	return b.Forward(path)
}
