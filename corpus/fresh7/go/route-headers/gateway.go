package main

import (
	"net/http"
	"strings"
)

type route struct {
	prefix string
	target string
}

// gateway forwards requests by the first element of their path.
type gateway struct {
	routes map[string]route
}

func (g *gateway) match(path string) (route, bool) {
	first := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 2)[0]
	r, ok := g.routes[first] //race:gateway.routes
	return r, ok
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r, ok := g.match(req.URL.Path)
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("X-Target", r.target)
	w.WriteHeader(http.StatusOK)
}

func (g *gateway) admin(w http.ResponseWriter, req *http.Request) {
	name, target := req.URL.Query().Get("name"), req.URL.Query().Get("target")
	if target == "" {
		delete(g.routes, name) //race:gateway.routes
	} else {
		g.routes[name] = route{prefix: "/" + name, target: target} //race:gateway.routes
	}
	w.WriteHeader(http.StatusNoContent)
}
