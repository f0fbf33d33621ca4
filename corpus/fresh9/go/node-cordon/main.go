package main

import (
	"fmt"
	"sync"

	"example.com/fleet/cordon/fleet"
)

type cluster struct {
	mu       sync.Mutex
	cordoned map[string]int
}

func (c *cluster) Cordon(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cordoned[name]++
	return nil
}

func (c *cluster) Evict(name string, pods int) error {
	if pods < 0 {
		return fmt.Errorf("%s: negative", name)
	}
	return nil
}

func main() {
	c := &cluster{cordoned: map[string]int{}}
	nodes := make([]fleet.Node, 0, 12)
	for i := 0; i < 12; i++ {
		nodes = append(nodes, fleet.Node{Name: fmt.Sprintf("worker-%d", i), Pods: i, Ready: true})
	}
	fmt.Println(len(fleet.Cordon(c, nodes)), "errors")
}
