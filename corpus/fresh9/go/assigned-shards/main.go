package main

import (
	"fmt"

	"example.com/search/worker/worker"
)

func main() {
	a, b := worker.Start("a"), worker.Start("b")
	c := &coordinator{width: 128, members: []member{a, b}}
	for _, total := range []uint32{1024, 2048, 4096} {
		c.rebalance(total)
	}
	fmt.Println(a.Stop()+b.Stop() > 0)
}
