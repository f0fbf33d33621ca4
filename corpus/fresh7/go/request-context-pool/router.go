package main

import "time"

// Ctx is what a handler gets; it is reused for later requests.
type Ctx struct {
	Path   string
	Params map[string]string
	Status int
}

func (c *Ctx) reset(path string) {
	c.Path = path //race:Ctx.Path
	c.Params = nil
	c.Status = 0
}

type handlerFunc func(*Ctx)

// Router serves requests with contexts of a free list.
type Router struct {
	free    chan *Ctx
	handler map[string]handlerFunc
}

func newRouter(size int) *Router {
	r := &Router{free: make(chan *Ctx, size), handler: map[string]handlerFunc{}}
	for i := 0; i < size; i++ {
		r.free <- &Ctx{}
	}
	return r
}

func (r *Router) serve(path string) int {
	c := <-r.free
	defer func() { r.free <- c }()
	c.reset(path)
	if h, ok := r.handler[path]; ok {
		h(c)
	} else {
		c.Status = 404
	}
	return c.Status
}

type auditLog struct {
	lines chan string
}

func (a *auditLog) record(c *Ctx) {
	time.Sleep(time.Millisecond)
	a.lines <- "visited " + c.Path //race:Ctx.Path
}
