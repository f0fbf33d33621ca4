// Package proxy sends requests on.
package proxy

import (
	"github.com/deadheat-corpus/confreload/conf"
	"github.com/deadheat-corpus/confreload/gate"
)

// Proxy balances requests.
type Proxy struct {
	config *conf.Config
	gate   *gate.Gate
	next   int
}

// New returns a proxy.
func New(c *conf.Config) *Proxy {
	return &Proxy{config: c, gate: gate.New(c)}
}

// Handle sends one request on.
func (p *Proxy) Handle(path string) string {
	if !p.gate.Admit() {
		return ""
	}
	return p.forward(path)
}

func (p *Proxy) forward(path string) string {
	host := p.pick()
	if p.verbose() {
		println(host)
	}
	return host + path
}

func (p *Proxy) pick() string {
	hosts := p.config.Hosts()
	p.next++
	return hosts[p.next%len(hosts)] //race:Config.hosts[]
}

func (p *Proxy) verbose() bool {
	return p.config.Level() == "debug"
}
