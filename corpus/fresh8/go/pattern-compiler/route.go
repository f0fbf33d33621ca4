package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

type matcher struct {
	segments int
}

func compile(pattern string) *matcher {
	m := new(matcher)
	m.segments = strings.Count(pattern, "/") //race:matcher.segments
	return m
}

func (m *matcher) matches(path string) bool {
	n := m.segments //race:matcher.segments
	return n == 0 || strings.Count(path, "/") == n
}

// route is a path with a pattern that is compiled when it is first used.
type route struct {
	pattern string
	mu      sync.Mutex
	m       *matcher
}

func (r *route) compiled() *matcher {
	if r.m == nil { //race:route.m
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.m == nil {
			r.m = compile(r.pattern) //race:route.m
		}
	}
	return r.m //race:route.m
}

type router struct {
	routes []*route
}

func (x *router) match(path string) (string, bool) {
	for _, r := range x.routes {
		if r.compiled().matches(path) {
			return r.pattern, true
		}
	}
	return "", false
}

func main() {
	x := &router{routes: []*route{{pattern: "/users/:id"}, {pattern: "*"}}}
	var wg sync.WaitGroup
	for i, path := range []string{"/users/7", "/about", "/users/x"} {
		wg.Add(1)
		go func(i int, path string) {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 300 * time.Microsecond)
			if _, ok := x.match(path); !ok {
				panic(path)
			}
		}(i, path)
	}
	wg.Wait()
	fmt.Println("matched")
}
