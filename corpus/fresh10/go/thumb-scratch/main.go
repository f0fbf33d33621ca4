package main

import (
	"fmt"
	"sync"
)

func main() {
	var sums sync.WaitGroup
	p := &pipeline{sums: &sums, checks: make(chan uint32, 64)}
	for i := 0; i < 32; i++ {
		p.process(photo{id: i, shade: byte(i * 7)})
	}
	sums.Wait()
	close(p.checks)
	n := 0
	for range p.checks {
		n++
	}
	fmt.Println(n, "thumbnails")
}
