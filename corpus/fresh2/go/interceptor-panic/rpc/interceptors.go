package rpc

import "time"

// Handler answers a call.
type Handler func(c *Call) error

// Interceptor stands before a handler.
type Interceptor func(c *Call, next Handler) error

// Chain puts interceptors before a handler, the first outermost.
func Chain(h Handler, before ...Interceptor) Handler {
	if len(before) == 0 {
		return h
	}
	rest := Chain(h, before[1:]...)
	return func(c *Call) error { return before[0](c, rest) }
}

// Recover makes an outcome of a panic.
func Recover(c *Call, next Handler) error {
	defer func() {
		if fault := recover(); fault != nil {
			c.fail(Internal, "panic in "+c.Method)
		}
	}()
	return next(c)
}

// Beats tells the peer about calls that take long.
func Beats(every time.Duration, tell func(Code, int)) Interceptor {
	return func(c *Call, next Handler) error {
		go c.Beat(every, tell)
		return next(c)
	}
}

// Deadline does nothing but wait.
func Deadline(d time.Duration) Interceptor {
	return func(c *Call, next Handler) error {
		time.Sleep(d)
		return next(c)
	}
}
