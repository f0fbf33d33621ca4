// Package httpd serves requests without garbage.
package httpd

// Handler answers a request.
type Handler func(r *Request) string

// Conn is one connection; it has one request, which is used again and again.
type Conn struct {
	req     Request
	handler Handler
	served  int
}

// NewConn returns a connection.
func NewConn(h Handler) *Conn {
	return &Conn{handler: h}
}

// Serve answers one line.
func (c *Conn) Serve(line string) string {
	c.req.parse(line)
	c.served++
	return c.handler(&c.req)
}
