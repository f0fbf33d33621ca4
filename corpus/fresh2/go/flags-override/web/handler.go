// Package web answers requests.
package web

import "github.com/deadheat-corpus/flagsoverride/flags"

// Handler answers a request.
type Handler func(path string) string

// Middleware wraps a handler.
type Middleware func(Handler) Handler

// Chain puts middleware around a handler, the first outermost.
func Chain(h Handler, around ...Middleware) Handler {
	for i := len(around) - 1; i >= 0; i-- {
		h = around[i](h)
	}
	return h
}

// Gate answers only while a feature is on.
func Gate(f *flags.Flags, feature string) Middleware {
	return func(next Handler) Handler {
		return func(path string) string {
			if !f.Enabled(feature) {
				return "404"
			}
			return next(path)
		}
	}
}
