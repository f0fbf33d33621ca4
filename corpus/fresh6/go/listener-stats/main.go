package main

import (
	"fmt"
	"time"
)

func main() {
	ln := newListener()
	go ln.acceptLoop(30, 200*time.Microsecond)
	rp := &reporter{ln: ln}
	for i := 0; i < 4; i++ {
		time.Sleep(2 * time.Millisecond)
		rp.rotate()
	}
	<-ln.done
	fmt.Println("windows", len(rp.windows))
}
