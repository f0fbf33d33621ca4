package main

import (
	"log"
	"time"

	"github.com/deadheat-corpus/groupoffsets/consumer"
)

func main() {
	log.SetFlags(0)
	p := consumer.Assign("payments", 3)
	go p.Poll(8)
	commits := 0
	for i := 0; i < 5; i++ {
		time.Sleep(2 * time.Millisecond)
		if at := p.Commit(); at > 0 {
			commits++
		}
	}
	time.Sleep(20 * time.Millisecond)
	log.Print("commits: ", commits)
}
