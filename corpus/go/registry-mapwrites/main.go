// Command registry takes registrations.
package main

import "sync"

// Registry knows the nodes of a mesh.
type Registry struct {
	nodes map[int]string
}

//go:noinline
func (r *Registry) register(id int, addr string) {
	r.nodes[id] = addr //race:Registry.nodes
}

func (r *Registry) serve(wg *sync.WaitGroup, base int) {
	defer wg.Done()
	for i := 0; i < 2000000; i++ {
		r.register(base+i%512, "10.0.0.1")
	}
}

func main() {
	r := &Registry{nodes: map[int]string{}}
	var wg sync.WaitGroup
	wg.Add(2)
	go r.serve(&wg, 0)
	go r.serve(&wg, 1000)
	wg.Wait()
}
