// Package proxy passes requests through a chain.
package proxy

import "time"

// Request asks for a path.
type Request struct{ Path string }

// Handler answers a request.
type Handler interface {
	Handle(Request) int
}

// HandlerFunc is a function that is a handler.
type HandlerFunc func(Request) int

// Handle calls the function.
func (f HandlerFunc) Handle(r Request) int { return f(r) }

// Middleware puts something around a handler.
type Middleware func(Handler) Handler

// Chain is a list of middleware around a handler.
type Chain struct {
	steps     []Middleware
	lastPanic any
}

// Build puts the chain around a handler.
func (c *Chain) Build(h Handler) Handler {
	for i := len(c.steps) - 1; i >= 0; i-- {
		h = c.steps[i](h)
	}
	return h
}

// Recover answers with 500 if the handler panics.
func (c *Chain) Recover(next Handler) Handler {
	return HandlerFunc(func(r Request) (code int) {
		defer func() {
			if p := recover(); p != nil {
				c.lastPanic = p //race:Chain.lastPanic
				code = 500
			}
		}()
		return next.Handle(r)
	})
}

// LastPanic gives what was recovered last.
func (c *Chain) LastPanic() any {
	return c.lastPanic //race:Chain.lastPanic
}

func slowly(next Handler) Handler {
	return HandlerFunc(func(r Request) int {
		time.Sleep(4 * time.Millisecond)
		return next.Handle(r)
	})
}
