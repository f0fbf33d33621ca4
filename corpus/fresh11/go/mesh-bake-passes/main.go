// Command bake computes light maps in passes.
package main

import (
	"fmt"
	"sync"
	"time"
)

type baker struct {
	group  sync.WaitGroup
	passes chan string
}

func (b *baker) pass(name string, tiles int) {
	b.group.Add(tiles) //race:baker.group
	for i := 0; i < tiles; i++ {
		go func() {
			defer b.group.Done()
			time.Sleep(2 * time.Millisecond)
		}()
	}
	go func() {
		b.group.Wait() //race:baker.group
		b.passes <- name
	}()
}

func main() {
	b := &baker{passes: make(chan string, 3)}
	for _, name := range []string{"direct", "bounce", "denoise"} {
		b.pass(name, 4)
		time.Sleep(10 * time.Millisecond)
	}
	for i := 0; i < 3; i++ {
		fmt.Println(<-b.passes)
	}
}
