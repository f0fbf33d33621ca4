package certs

import (
	"sync"
	"time"
)

// Rotator has one certificate and replaces it in time.
type Rotator struct {
	host      string
	authority Authority
	life      time.Duration
	mu        sync.Mutex
	current   *Certificate
	until     int64
}

// NewRotator returns a rotator without a certificate yet.
func NewRotator(host string, a Authority, life time.Duration) *Rotator {
	return &Rotator{host: host, authority: a, life: life}
}

func (r *Rotator) stale() bool {
	if r.current == nil { //race:Rotator.current
		return true
	}
	return time.Now().UnixNano() > r.until //race:Rotator.until
}

// Handshake returns the certificate for a connection.
func (r *Rotator) Handshake() (*Certificate, error) {
	if r.stale() {
		if err := r.renew(); err != nil {
			return nil, err
		}
	}
	return r.current, nil //race:Rotator.current
}

func (r *Rotator) renew() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stale() {
		return nil
	}
	c, err := r.authority.Issue(r.host)
	if err != nil {
		return err
	}
	r.until = time.Now().Add(r.life).UnixNano() //race:Rotator.until
	r.current = c                               //race:Rotator.current
	return nil
}
