package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/edgemeters/edge"
)

func main() {
	p := edge.NewProxy()
	for i := 0; i < 2; i++ {
		go p.Pump(6, 1400)
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println("pumped")
}
