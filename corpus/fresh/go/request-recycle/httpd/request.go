package httpd

import "strings"

// Request is what a handler sees; it is valid until the handler returns.
type Request struct {
	path string
	user string
	tags []string
}

// User is who asks.
func (r *Request) User() string {
	return r.user //race:Request.user
}

// Tags are what the client says about the call.
func (r *Request) Tags() []string {
	return r.tags //race:Request.tags
}

func (r *Request) parse(line string) {
	parts := strings.Split(line, " ") //race:Request.tags[]
	r.path = parts[0]
	r.user = parts[1]  //race:Request.user
	r.tags = parts[2:] //race:Request.tags
}
