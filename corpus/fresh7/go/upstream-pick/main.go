package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	p := &pool{route: "/api", upstreams: []*upstream{
		{addr: "10.0.0.1:80", weight: 1, active: 3},
		{addr: "10.0.0.2:80", weight: 2, active: 1},
	}}
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 2; n++ {
				_ = p.serve(func(*upstream) { time.Sleep(time.Millisecond) })
			}
		}()
	}
	wg.Wait()
	fmt.Println("served")
}
