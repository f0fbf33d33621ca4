package main

import (
	"fmt"
	"sync"
)

func consume(d *decoder, messages [][]byte) (n int) {
	for _, m := range messages {
		if out, err := d.decode(m); err == nil {
			n += len(out)
		}
	}
	return n
}

func main() {
	d := &decoder{client: &registryClient{fetch: slowFetch, schemas: map[int]*schema{}}}
	var wg sync.WaitGroup
	for _, part := range [][][]byte{{{1, 7, 8}, {1, 9, 9}}, {{2, 7, 8}, {2, 1, 1}}} {
		wg.Add(1)
		go func(part [][]byte) {
			defer wg.Done()
			consume(d, part)
		}(part)
	}
	wg.Wait()
	fmt.Println("consumed")
}
