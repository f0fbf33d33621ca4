package edge

import "time"

// Proxy stands between clients and a service.
type Proxy struct {
	ingress Meter
	egress  Meter
}

// NewProxy makes an idle proxy.
func NewProxy() *Proxy {
	return new(Proxy)
}

// Pump passes n requests and their answers on.
func (p *Proxy) Pump(n, size int) {
	for i := 0; i < n; i++ {
		p.request(size)
		time.Sleep(time.Millisecond)
		p.respond(size * 4)
	}
}

func (p *Proxy) request(size int) {
	p.ingress.observe(size) //race:Proxy.ingress
}

func (p *Proxy) respond(size int) {
	p.egress.observe(size) //race:Proxy.egress
}
