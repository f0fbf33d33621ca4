package main

import (
	"fmt"
	"sync"
)

type definition struct {
	group   string
	kind    string
	version string
}

func (d *definition) key() string {
	return d.kind + "." + d.group
}

type cluster struct {
	mu   sync.Mutex
	crds map[string]string
}

func (c *cluster) apply(key, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crds[key] = version
}

type installer struct {
	cluster *cluster
	dryRun  bool
}

// install applies all definitions side by side.
func (i *installer) install(defs []definition) int {
	var wg sync.WaitGroup
	for _, def := range defs { //race:def
		wg.Add(1)
		go func() {
			defer wg.Done()
			key, version := def.group+"/"+def.kind, def.version //race:def
			if !i.dryRun {
				i.cluster.apply(key, version)
			}
		}()
	}
	wg.Wait()
	return len(defs)
}

func main() {
	c := &cluster{crds: map[string]string{}}
	in := &installer{cluster: c}
	n := in.install([]definition{
		{"db.example.com", "Cluster", "v1"},
		{"db.example.com", "Backup", "v1beta1"},
		{"db.example.com", "Restore", "v1alpha1"},
		{"net.example.com", "Route", "v1"},
	})
	fmt.Println("applied", n, len(c.crds) > 0)
}
