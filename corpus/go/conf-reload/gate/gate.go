// Package gate lets requests in.
package gate

import "github.com/deadheat-corpus/confreload/conf"

// Gate limits requests.
type Gate struct {
	config *conf.Config
	used   float64
}

// New returns a gate.
func New(c *conf.Config) *Gate {
	return &Gate{config: c}
}

// Admit lets a request in or not.
func (g *Gate) Admit() bool {
	g.used++
	return g.allowed(g.used)
}

func (g *Gate) allowed(n float64) bool {
	return n < g.config.Rate()
}
