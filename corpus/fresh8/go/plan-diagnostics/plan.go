package main

import (
	"fmt"
	"sync"
)

type severity int

const (
	warning severity = iota
	fatal
)

type diagnostic struct {
	severity severity
	address  string
	summary  string
}

type vertex struct {
	address string
	deps    []string
	count   int
}

// validate reports what is wrong with one resource.
func (v vertex) validate(diags *[]diagnostic) {
	if v.count < 0 {
		report(diags, diagnostic{fatal, v.address, "negative count"})
	}
	if len(v.deps) == 0 {
		report(diags, diagnostic{warning, v.address, "not referenced"})
	}
}

func report(diags *[]diagnostic, d diagnostic) {
	*diags = append(*diags, d) //race:diags
}

type graph struct {
	vertices []vertex
}

func (g *graph) walk(visit func(vertex)) {
	var wg sync.WaitGroup
	for _, v := range g.vertices {
		wg.Add(1)
		v := v
		go func() {
			defer wg.Done()
			visit(v)
		}()
	}
	wg.Wait()
}

func plan(g *graph) []diagnostic {
	diags := make([]diagnostic, 0, 16)
	g.walk(func(v vertex) { v.validate(&diags) })
	return diags
}

func main() {
	g := &graph{vertices: []vertex{
		{"aws_vpc.main", nil, 1},
		{"aws_subnet.a", nil, -1},
		{"aws_subnet.b", nil, 2},
		{"aws_route.default", []string{"aws_vpc.main"}, -2},
	}}
	fmt.Println("diagnostics:", len(plan(g)) > 0)
}
