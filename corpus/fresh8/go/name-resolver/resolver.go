package main

import (
	"fmt"
	"strings"
	"time"
)

type address struct {
	host string
	port string
}

// resolver turns a target into addresses, again and again.
type resolver struct {
	scheme string
	target string
	update func([]address)
	quit   chan struct{}
}

func newResolver(scheme string) *resolver {
	r := &resolver{scheme: scheme, quit: make(chan struct{})}
	go r.watch()
	return r
}

func (r *resolver) watch() {
	for {
		select {
		case <-r.quit:
			return
		case <-time.After(300 * time.Microsecond):
			r.resolve()
		}
	}
}

func (r *resolver) resolve() {
	host, port, ok := strings.Cut(r.target, ":") //race:resolver.target
	if !ok {
		return
	}
	push := r.update //race:resolver.update
	if push != nil {
		push([]address{{host, port}})
	}
}

func build(target string, update func([]address)) *resolver {
	r := newResolver("static")
	time.Sleep(400 * time.Microsecond)
	r.target = target //race:resolver.target
	r.update = update //race:resolver.update
	return r
}

func main() {
	got := make(chan []address, 64)
	r := build("db.internal:5432", func(a []address) { got <- a })
	first := <-got
	close(r.quit)
	fmt.Println("resolved", len(first))
}
