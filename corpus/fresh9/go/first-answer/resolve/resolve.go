package resolve

import (
	"errors"
	"time"
)

// ErrTimeout says that no server has answered in time.
var ErrTimeout = errors.New("lookup timed out")

// Exchange asks a server.
type Exchange func(server, name string) (string, error)

// Resolver asks a list of servers in turn.
type Resolver struct {
	Servers  []string
	Exchange Exchange
	Timeout  time.Duration
}

func (r *Resolver) one(server, name string) (string, error) {
	var addr string
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err := r.Exchange(server, name)
		addr = got    //race:addr
		failure = err //race:failure
	}()
	select {
	case <-done:
	case <-time.After(r.Timeout):
		if addr == "" && failure == nil { //race:addr,failure
			return "", ErrTimeout
		}
	}
	return addr, failure
}

// Lookup returns the first answer.
func (r *Resolver) Lookup(name string) (string, error) {
	err := errors.New("no servers")
	for _, s := range r.Servers {
		var addr string
		if addr, err = r.one(s, name); err == nil {
			return addr, nil
		}
	}
	return "", err
}
