package fleet

import (
	"fmt"
	"sync"
)

// Node is a machine.
type Node struct {
	Name  string
	Pods  int
	Ready bool
}

// API is what the cluster offers.
type API interface {
	Cordon(name string) error
	Evict(name string, pods int) error
}

// Cordon takes nodes out of service.
func Cordon(api API, nodes []Node) []error {
	errs := make(chan error, len(nodes))
	var wg sync.WaitGroup
	for _, node := range nodes { //race:node
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := api.Cordon(node.Name); err != nil { //race:node
				errs <- fmt.Errorf("cordon: %w", err)
				return
			}
			if err := api.Evict(node.Name, node.Pods); err != nil { //race:node
				errs <- fmt.Errorf("evict: %w", err)
			}
		}()
	}
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return all
}
