// Package probe finds out which endpoints are alive.
package probe

import (
	"fmt"
	"time"
)

// Endpoint is something that can be asked.
type Endpoint struct {
	Host string
	Port int
}

// Addr is the endpoint's address.
func (e *Endpoint) Addr() string {
	return fmt.Sprintf("%s:%d", e.Host, e.Port)
}

// Dialer tries to connect.
type Dialer func(addr string) error

// Checker asks all endpoints.
type Checker struct {
	dial    Dialer
	timeout time.Duration
}

// NewChecker returns a checker.
func NewChecker(d Dialer, timeout time.Duration) *Checker {
	return &Checker{dial: d, timeout: timeout}
}

// CheckAll returns the addresses that did not answer.
func (c *Checker) CheckAll(eps []Endpoint) []string {
	failed := make(chan string, len(eps))
	finished := make(chan struct{}, len(eps))
	for _, ep := range eps { //race:CheckAll.ep
		go func() {
			host, port := ep.Host, ep.Port //race:CheckAll.ep
			if addr := fmt.Sprint(host, ":", port); c.dial(addr) != nil {
				failed <- addr
			}
			finished <- struct{}{}
		}()
	}
	for range eps {
		<-finished
	}
	close(failed)
	var list []string
	for addr := range failed {
		list = append(list, addr)
	}
	return list
}
