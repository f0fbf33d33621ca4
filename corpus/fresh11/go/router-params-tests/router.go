// Package router matches paths to handlers.
package router

import "strings"

// Request is what a handler gets.
type Request struct {
	Path   string
	Params map[string]string
}

// Pattern is a path with :names in it.
type Pattern []string

// Compile splits a pattern.
func Compile(s string) Pattern { return strings.Split(strings.Trim(s, "/"), "/") }

// Match fills in the parameters if the path fits.
func (p Pattern) Match(r *Request) bool {
	parts := strings.Split(strings.Trim(r.Path, "/"), "/")
	if len(parts) != len(p) {
		return false
	}
	for i, want := range p {
		if name, ok := strings.CutPrefix(want, ":"); ok {
			r.Params[name] = parts[i] //race:sample.Params
		} else if want != parts[i] {
			return false
		}
	}
	return true
}
