package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	a := &agent{load: func() *ruleSet {
		time.Sleep(2 * time.Millisecond)
		return &ruleSet{drop: []string{"198.51.100.0/24"}}
	}}
	var wg sync.WaitGroup
	for _, queue := range []string{"in", "out", "forward"} {
		wg.Add(1)
		go func(q string) {
			defer wg.Done()
			a.filter(q, 4)
		}(queue)
	}
	wg.Wait()
	fmt.Println("packets filtered")
}
