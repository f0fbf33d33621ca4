package main

import (
	"fmt"
	"time"
)

func main() {
	w := newWorld(time.Millisecond)
	done := make(chan struct{})
	go w.run(12, done)
	lobby := &lobby{world: w}
	for i := 0; i < 5; i++ {
		lobby.join(i)
		time.Sleep(2 * time.Millisecond)
	}
	lobby.leave(2)
	<-done
	fmt.Println("ticks", w.ticks)
}
