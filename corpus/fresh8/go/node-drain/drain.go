package main

import (
	"fmt"
	"sync"
	"time"
)

type node struct {
	name string
	pods []string
}

type result struct {
	node    string
	evicted int
}

type drainer struct {
	grace   time.Duration
	mu      sync.Mutex
	results []result
}

func (d *drainer) evict(n node) {
	time.Sleep(d.grace)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.results = append(d.results, result{n.name, len(n.pods)})
}

func (d *drainer) drain(nodes []node) {
	var wg sync.WaitGroup
	wg.Add(len(nodes))
	for i := 0; i < len(nodes); i++ { //race:i
		go func() {
			defer wg.Done()
			at := i //race:i
			if at >= len(nodes) {
				return
			}
			d.evict(nodes[at])
		}()
		time.Sleep(50 * time.Microsecond)
	}
	wg.Wait()
}

func main() {
	d := &drainer{grace: 200 * time.Microsecond}
	d.drain([]node{
		{"node-a", []string{"web", "db"}},
		{"node-b", []string{"cache"}},
		{"node-c", nil},
		{"node-d", []string{"queue"}},
	})
	fmt.Println("drained", len(d.results) >= 0)
}
