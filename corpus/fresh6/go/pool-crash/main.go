package main

import (
	"fmt"
	"time"
)

type image struct {
	width, height int
}

func (im image) ratio() int { return im.width / im.height }

func main() {
	p := newWorkerPool(2)
	go func() {
		for _, im := range []image{{4, 2}, {3, 1}, {5, 0}, {8, 2}} {
			im := im
			p.jobs <- func() { im.ratio() }
			time.Sleep(500 * time.Microsecond)
		}
	}()
	fmt.Println("saw dead workers:", p.supervise(700*time.Microsecond, 6) > 0)
}
