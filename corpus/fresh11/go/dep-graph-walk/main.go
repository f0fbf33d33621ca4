// Command depgraph lists what a package needs.
package main

import (
	"fmt"
	"sync"
)

type graph map[string][]string

func (g graph) closure(root string) int {
	var (
		wg   sync.WaitGroup
		seen = map[string]bool{}
		walk func(string)
	)
	walk = func(pkg string) {
		defer wg.Done()
		if seen[pkg] { //race:seen
			return
		}
		seen[pkg] = true //race:seen
		for _, dep := range g[pkg] {
			wg.Add(1)
			go walk(dep)
		}
	}
	wg.Add(1)
	walk(root)
	wg.Wait()
	return len(seen)
}

func main() {
	g := graph{
		"app":  {"http", "log", "db"},
		"http": {"net", "io"},
		"db":   {"io", "sync"},
		"log":  {"io"},
	}
	fmt.Println(g.closure("app"), "packages")
}
