// Command sim runs a skirmish without a screen.
package main

import (
	"fmt"
	"time"
)

func main() {
	t := &turret{shots: make(chan int, 64)}
	player := make(chan struct{})
	go func() {
		defer close(player)
		for i := 0; i < 10; i++ {
			t.fire()
			time.Sleep(300 * time.Microsecond)
		}
	}()
	for frame := 0; frame < 6; frame++ {
		t.cool(1.0 / 60)
		time.Sleep(500 * time.Microsecond)
	}
	<-player
	fmt.Println("shots:", len(t.shots))
}
