package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/drainworkers/pool"
)

func main() {
	p := new(pool.Pool)
	p.Submit(2 * time.Millisecond)
	p.Submit(7 * time.Millisecond)
	time.Sleep(4 * time.Millisecond)
	fmt.Println(p.Drain() <= 2) //race:Pool.group
}
