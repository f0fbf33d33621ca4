package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/forestfires/fire"
)

func main() {
	grid := fire.NewGrid(12, 9)
	home := make(chan struct{})
	go func() {
		defer close(home)
		fire.Ranger{Grid: grid, Walk: 5 * time.Millisecond}.Patrol(
			fire.Sighting{X: 3, Y: 4, Cell: fire.Burning},
			fire.Sighting{X: 4, Y: 4, Cell: fire.Burning},
		)
	}()
	time.Sleep(3 * time.Millisecond)
	engines := fire.Brigade{Grid: grid}.Engines()
	<-home
	fmt.Println(engines)
}
