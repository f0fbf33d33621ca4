package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/taperobot/tape"
)

func main() {
	var r tape.Mover = tape.NewRobot("left")
	go func() {
		for slot := 0; slot < 10; slot++ {
			r.MoveTo(slot)
			time.Sleep(time.Millisecond)
		}
	}()
	c := tape.Console{Arm: r}
	for i := 0; i < 3; i++ {
		time.Sleep(2 * time.Millisecond)
		c.Refresh()
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("console closed")
}
