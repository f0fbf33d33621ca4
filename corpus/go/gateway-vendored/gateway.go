package gateway

import "example.com/lib/bucket"

// Gateway lets requests pass while there are tokens.
type Gateway struct {
	limit *bucket.Bucket
}

// New returns a gateway with n tokens.
func New(n int) *Gateway {
	return &Gateway{limit: bucket.New(n)}
}

// Serve handles one request.
func (g *Gateway) Serve() bool {
	return g.limit.Take()
}
