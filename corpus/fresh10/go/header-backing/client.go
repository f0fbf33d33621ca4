package main

import "strings"

type header struct{ name, value string }

type request struct {
	path    string
	headers []header
}

func (r request) render() string {
	var b strings.Builder
	b.WriteString("GET " + r.path + "\n")
	for i := range r.headers {
		h := r.headers[i] //race:client.defaults[]
		b.WriteString(h.name + ": " + h.value + "\n")
	}
	return b.String()
}

// client makes requests; its default headers do not change.
type client struct {
	defaults []header
}

func newClient(service, region string) *client {
	c := &client{defaults: make([]header, 0, 8)}
	c.defaults = append(c.defaults,
		header{"Service", service},
		header{"Region", region},
	)
	return c
}

func (c *client) request(path, trace string) request {
	headers := append(c.defaults, header{"Trace", trace}) //race:client.defaults[]
	return request{path: path, headers: headers}
}
