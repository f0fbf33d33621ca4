package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	p := newPool(512)
	var links sync.WaitGroup
	for link := 0; link < 4; link++ {
		links.Add(1)
		go func() {
			defer links.Done()
			serve(p, link)
		}()
	}
	links.Wait()
	fmt.Println("links served")
}

func serve(p *pool, link int) {
	var held []*frame
	for i := 0; i < 6; i++ {
		f := p.get()
		f.payload = append(f.payload, byte(link), byte(i))
		held = append(held, f)
		time.Sleep(50 * time.Microsecond)
	}
	for _, f := range held {
		p.put(f)
	}
}
