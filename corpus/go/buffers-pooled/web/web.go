// Package web serves requests with pooled objects.
package web

import (
	"time"

	"github.com/deadheat-corpus/pooled/pool"
)

// Request is what came in.
type Request struct {
	body [8]byte
}

// Response is what goes out.
type Response struct {
	code int
}

// Server has a pool of each.
type Server struct {
	requests  pool.Pool[Request]
	responses pool.Pool[Response]
}

// Serve handles one request.
func (s *Server) Serve() {
	in, out := s.requests.Lend(), s.responses.Lend()
	go audit(in, out)
	time.Sleep(20 * time.Millisecond)
	s.release(in, out)
}

func (s *Server) release(in *Request, out *Response) {
	s.requests.Return(in)   //race:Request.body
	s.responses.Return(out) //race:Response.code
}

func audit(in *Request, out *Response) {
	keep(in)
	out.code = 200 //race:Response.code
}

func keep(in *Request) {
	in.body[0] = 'x' //race:Request.body
}
