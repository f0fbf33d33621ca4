// Package certs has the certificate of a server ready.
package certs

import "time"

// Certificate proves who the server is.
type Certificate struct {
	Host   string
	Serial int
}

// Authority issues certificates.
type Authority interface {
	Issue(host string) (*Certificate, error)
}

// Drawer is an authority that has all certificates already.
type Drawer struct {
	Lag   time.Duration
	Ready []*Certificate
}

// Issue takes the next one.
func (d *Drawer) Issue(host string) (*Certificate, error) {
	time.Sleep(d.Lag)
	c := d.Ready[0]
	d.Ready = d.Ready[1:]
	return c, nil
}
