// Package resolve finds the modules that a build needs.
package resolve

import (
	"sync"
	"time"
)

// Edge says that one module requires another.
type Edge struct {
	From, To string
}

// Source tells the requirements of a module.
type Source interface {
	Requirements(path string) []string
}

// Table is a source for tests and for vendored builds.
type Table map[string][]string

// Requirements waits as the network would.
func (t Table) Requirements(path string) []string {
	time.Sleep(2 * time.Millisecond)
	return t[path]
}

// Graph is the module graph of one build.
type Graph struct {
	src   Source
	edges []Edge
}

// NewGraph makes an empty graph.
func NewGraph(src Source) *Graph {
	return &Graph{src: src}
}

// Load fetches the requirements of all roots.
func (g *Graph) Load(roots ...string) {
	var wg sync.WaitGroup
	wg.Add(len(roots))
	for _, root := range roots {
		go func(path string) {
			defer wg.Done()
			g.visit(path)
			time.Sleep(3 * time.Millisecond)
		}(root)
	}
	wg.Wait()
}

func (g *Graph) visit(path string) {
	for _, need := range g.src.Requirements(path) {
		g.edges = append(g.edges, Edge{path, need}) //race:Graph.edges
	}
}

// Size is the number of edges.
func (g *Graph) Size() int {
	return len(g.edges)
}
