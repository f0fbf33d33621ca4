package main

import (
	"fmt"
	"sync"

	"example.com/edge/router/router"
)

func trail(name string) router.Middleware {
	return func(next router.Handler) router.Handler {
		return func(r *router.Request) {
			r.Trail = append(r.Trail, name)
			next(r)
		}
	}
}

func main() {
	r := router.New()
	r.Use(trail("log"))
	r.Use(trail("recover"))
	r.Handle("/orders", func(*router.Request) {}, trail("auth"))
	r.Handle("/admin", func(*router.Request) {}, trail("auth-admin"))

	var wg sync.WaitGroup
	for _, path := range []string{"/orders", "/admin", "/orders", "/admin"} {
		wg.Add(1)
		go func(path string) {
			defer wg.Done()
			req := &router.Request{Path: path, Tenant: "t1"}
			r.Serve(req)
		}(path)
	}
	wg.Wait()
	fmt.Println("served")
}
