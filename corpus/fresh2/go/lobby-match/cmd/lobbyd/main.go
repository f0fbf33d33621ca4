// Lobbyd opens a lobby for the players of two regions.
package main

import (
	"time"

	"github.com/deadheat-corpus/lobbymatch/gateway"
	"github.com/deadheat-corpus/lobbymatch/lobby"
)

func main() {
	room := lobby.Open(4)
	closed := make(chan string, 2)
	report := func(region string) { closed <- region }
	regions := map[string]time.Duration{"eu": 4 * time.Millisecond, "us": 5 * time.Millisecond}
	for region, lag := range regions {
		g := gateway.New(region, lag, room)
		go g.Serve([]string{"ann", "bo"}, report)
	}
	for range regions {
		<-closed
	}
	println("seats left:", room.Missing())
}
