// Package gateway makes what it needs at first use.
package gateway

import "github.com/deadheat-corpus/lazygate/backend"

// Gateway is shared by all handlers.
type Gateway struct {
	addr   string
	conn   *backend.Conn
	codec  *backend.Codec
	policy *backend.Policy
}

// New returns a gateway that has nothing yet.
func New(addr string) *Gateway {
	return &Gateway{addr: addr}
}

func (g *Gateway) ensure() {
	if g.conn == nil { //race:Gateway.conn
		g.conn = &backend.Conn{Addr: g.addr} //race:Gateway.conn
	}
	if g.codec == nil { //race:Gateway.codec
		g.codec = &backend.Codec{Name: "json"} //race:Gateway.codec
	}
}

func (g *Gateway) ensurePolicy() {
	if g.policy == nil { //race:Gateway.policy
		g.policy = &backend.Policy{Tries: 3} //race:Gateway.policy
	}
}
