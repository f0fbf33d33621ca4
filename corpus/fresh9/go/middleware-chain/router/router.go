// Package router is a tiny HTTP-like router.
package router

// Request is what handlers get.
type Request struct {
	Path   string
	Tenant string
	Trail  []string
}

// Handler serves a request.
type Handler func(*Request)

// Middleware wraps a handler.
type Middleware func(Handler) Handler

type route struct {
	handler Handler
	extra   []Middleware
}

// Router holds routes and the middlewares common to all of them.
type Router struct {
	common []Middleware
	routes map[string]route
}

// New returns a router without routes.
func New() *Router {
	return &Router{common: make([]Middleware, 0, 8), routes: map[string]route{}}
}

// Use adds a middleware for all routes; call it before serving.
func (r *Router) Use(m Middleware) { r.common = append(r.common, m) }

// Handle registers a route.
func (r *Router) Handle(path string, h Handler, extra ...Middleware) {
	r.routes[path] = route{h, extra}
}

// Serve runs a request through its chain.
func (r *Router) Serve(req *Request) bool {
	rt, ok := r.routes[req.Path]
	if !ok {
		return false
	}
	r.chain(rt)(req)
	return true
}

func (r *Router) chain(rt route) Handler {
	all := append(r.common, rt.extra...) //race:Router.common[]
	h := rt.handler
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h) //race:Router.common[]
	}
	return h
}
