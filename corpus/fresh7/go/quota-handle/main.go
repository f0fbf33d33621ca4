package main

import (
	"fmt"
	"sync"
)

func main() {
	q := &quota{limit: 100, usage: map[string]int64{"red": 0, "blue": 0}}
	tenants := []string{"red", "blue"}
	counts := make([]int, len(tenants))
	var wg sync.WaitGroup
	for i, tenant := range tenants {
		h := handleFor(q, tenant)
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			counts[i] = h.write(10, 20, 30)
		}(i)
	}
	wg.Wait()
	fmt.Println(counts)
}
