package main

import (
	"bufio"
	"io"
	"strings"
)

// request is one call. It belongs to the connection.
type request struct {
	method string
	arg    string
}

type handler func(*request) string

type conn struct {
	req    request
	handle handler
	sent   int
}

// serve answers calls until there are no more.
func (c *conn) serve(in io.Reader) int {
	lines := bufio.NewScanner(in)
	n := 0
	for lines.Scan() {
		c.read(lines.Text())
		c.sent += len(c.handle(&c.req))
		n++
	}
	return n
}

func (c *conn) read(line string) {
	method, arg, _ := strings.Cut(line, " ")
	c.req.method = method //race:request.method
	c.req.arg = arg
}
