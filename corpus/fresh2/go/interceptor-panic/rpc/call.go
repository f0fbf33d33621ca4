// Package rpc answers calls.
package rpc

import "time"

// Code is the outcome of a call.
type Code int

// Outcomes.
const (
	OK Code = iota
	Internal
)

// Call is a request that is being answered.
type Call struct {
	Method string
	code   Code
	detail string
}

func (c *Call) fail(code Code, detail string) {
	c.code = code     //race:Call.code
	c.detail = detail //race:Call.detail
}

// Beat tells a peer how the call is.
func (c *Call) Beat(every time.Duration, tell func(Code, int)) {
	for i := 0; i < 4; i++ {
		time.Sleep(every)
		code := c.code   //race:Call.code
		note := c.detail //race:Call.detail
		tell(code, len(note))
	}
}
