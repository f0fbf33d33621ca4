// Package route finds the handler of a path.
package route

// Handler answers a path.
type Handler func(path string) int

// Router has handlers by path; it is filled before it serves.
type Router struct {
	routes  map[string]Handler
	version int
}

// New returns a router without routes.
func New() *Router {
	return &Router{routes: make(map[string]Handler)}
}

// Handle adds a route.
func (r *Router) Handle(path string, h Handler) {
	r.routes[path] = h //race:Router.routes[]
	r.version++        //race:Router.version
}

// Serve answers.
func (r *Router) Serve(path string) int {
	h, ok := r.routes[path] //race:Router.routes[]
	if !ok {
		return 404
	}
	return h(path)
}
