package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

func main() {
	p := newConnPool(2)
	stop := make(chan struct{})
	go (&exporter{pool: p, out: io.Discard}).loop(time.Millisecond, stop)

	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 5; n++ {
				p.query(700 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
	close(stop)
	fmt.Println("queries done")
}
